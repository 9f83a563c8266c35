import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { preview, previewCall, renderPath } from "./preview.js";

describe("preview", () => {
  it.each([
    [{ order_id: "ORD-1" }, '{order_id: "ORD-1"}'],
    [{ "odd key": [1, null, true] }, '{"odd key": [1, null, true]}'],
    [undefined, "nothing"],
    ["a\nb", '"a\\nb"'],
    ["\u001b[31m", '"␛[31m"'],
    [{}, "{}"],
  ])("%j reads %s", (value, expected) => {
    expect(preview(value)).toBe(expected);
  });

  it("stays near its limit however large the value is", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.integer({ min: 10, max: 200 }), (value, max) => {
        expect(preview(value, max).length).toBeLessThanOrEqual(max);
      }),
    );
    expect(
      preview(
        Array.from({ length: 200_000 }, () => "x"),
        50,
      ).length,
    ).toBeLessThanOrEqual(50);
  });

  it.each(["𝄞", "👩‍👩‍👧‍👦", "e\u0301"])("cuts no character in parts: %s", (character) => {
    for (let max = 4; max < 20; max += 1) {
      expect(preview(`123${character}45678901234567890`, max).replace(character, "")).toMatch(/^[\d…"]+$/);
    }
  });

  it("writes calls and paths", () => {
    expect(previewCall("f", {})).toBe("f()");
    expect(previewCall("f", { a: 1 })).toBe("f({a: 1})");
    expect(renderPath(["items", 2, "price", "odd key"])).toBe('items[2].price["odd key"]');
    expect(renderPath([])).toBe("");
  });
});

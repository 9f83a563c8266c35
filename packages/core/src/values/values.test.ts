import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { anyText } from "../__fixtures__/any-text.js";
import { createSystemClock } from "./clock.js";
import { parseDuration, renderDuration } from "./duration.js";
import { matchesNameGlob } from "./name-glob.js";
import { didYouMean, nearestName } from "./nearest-name.js";
import { preview, previewCall, renderPath } from "./preview.js";
import { createRandom, hashText } from "./random.js";
import { visible, visibleLine } from "./visible.js";

describe("durations", () => {
  it.each([
    ["500ms", 500],
    ["30s", 30_000],
    ["2m", 120_000],
    ["1.5h", 5_400_000],
    ["250", 250],
    [10, 10],
    ["2 s", 2_000],
    ["soon", null],
    ["-1s", null],
    [-1, null],
    [Number.NaN, null],
    ["1d", null],
    [null, null],
  ])("%j is %s ms", (text, expected) => {
    expect(parseDuration(text)).toBe(expected);
  });

  it.each([
    [0, "0 ms"],
    [320.4, "320 ms"],
    [1_000, "1 s"],
    [1_250, "1.3 s"],
    [60_000, "1 min"],
    [125_000, "2 min 5 s"],
    [3_660_000, "1 h 1 min"],
  ])("%d ms reads %s", (ms, expected) => {
    expect(renderDuration(ms)).toBe(expected);
  });
});

describe("nearestName", () => {
  const known = ["tool_called", "tool_not_called", "schema", "no_pii"];
  it.each([
    ["tool_caled", "tool_called"],
    ["toolCalled", "tool_called"],
    ["shema", "schema"],
    ["nopii", "no_pii"],
    ["banana", null],
    ["", null],
  ])("%s means %s", (name, expected) => {
    expect(nearestName(name, known)).toBe(expected);
  });

  it("asks in the words of the specification", () => {
    expect(didYouMean("tool_caled", known)).toBe('Did you mean "tool_called"?');
    expect(didYouMean("zzz", known)).toBeUndefined();
  });
});

describe("matchesNameGlob", () => {
  it.each([
    ["fs_*", "fs_read", true],
    ["fs_*", "xfs_read", false],
    ["*", "", true],
    ["a?c", "abc", true],
    ["a?c", "ac", false],
    ["a.c", "abc", false],
    ["*(x)*", "f(x)", true],
    ["*a*a*a*a*a*a*a*a*a*b", "a".repeat(40), false],
  ])("%s takes %s: %s", (glob, name, expected) => {
    expect(matchesNameGlob(glob, name)).toBe(expected);
  });
});

describe("preview", () => {
  it.each([
    [{ order_id: "ORD-1" }, '{order_id: "ORD-1"}'],
    [{ "odd key": [1, null, true] }, '{"odd key": [1, null, true]}'],
    [undefined, "nothing"],
    ["a\nb", '"a\\nb"'],
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
        Array.from({ length: 1_000_000 }, () => "x"),
        50,
      ).length,
    ).toBeLessThanOrEqual(50);
  });

  it("writes calls and paths", () => {
    expect(previewCall("f", {})).toBe("f()");
    expect(previewCall("f", { a: 1 })).toBe("f({a: 1})");
    expect(renderPath(["items", 2, "price", "odd key"])).toBe('items[2].price["odd key"]');
    expect(renderPath([])).toBe("");
  });
});

describe("random", () => {
  it("repeats itself for a seed and differs between seeds", () => {
    const draw = (seed: number) => Array.from({ length: 5 }, createRandom(seed));
    expect(draw(1)).toEqual(draw(1));
    expect(draw(1)).not.toEqual(draw(2));
    expect(hashText("a")).not.toBe(hashText("b"));
  });

  it("is uniform enough for a test runner", () => {
    const random = createRandom(7);
    const buckets = Array.from({ length: 10 }, () => 0);
    for (let draw = 0; draw < 100_000; draw += 1) {
      const bucket = Math.floor(random() * 10);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    // Five standard deviations of a bucket are 475.
    for (const count of buckets) expect(Math.abs(count - 10_000)).toBeLessThan(475);
  });
});

describe("visible", () => {
  it.each([
    ["\u001b[31mred\u001b[0m", String.raw`\u001b[31mred\u001b[0m`],
    ["a\u202eb", String.raw`a\u202eb`],
    ["bell\u0007", String.raw`bell\u0007`],
    ["\ud800", String.raw`\ud800`],
    ["𝄞 stays", "𝄞 stays"],
    ["tab\tand\nline stay", "tab\tand\nline stay"],
    ["\r", String.raw`\u000d`],
  ])("%j is shown as %s", (text, expected) => {
    expect(visible(text)).toBe(expected);
  });

  it("leaves no control character in any text", () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        expect(visibleLine(text)).not.toMatch(/\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });
});

describe("the system clock", () => {
  it("ends a sleep at once when its signal aborts", async () => {
    const controller = new AbortController();
    const slept = createSystemClock().sleep(60_000, controller.signal);
    controller.abort();
    await expect(slept).resolves.toBeUndefined();
    await expect(createSystemClock().sleep(60_000, controller.signal)).resolves.toBeUndefined();
  });

  it("does not end a wait at once that is longer than a timer can be", () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const ended = vi.fn<() => void>();
    createSystemClock().after(2 ** 31, ended);
    vi.advanceTimersByTime(60_000);
    expect(ended).not.toHaveBeenCalled();
  });
});

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { toMistralCallId } from "./to-mistral-call-id.js";

it("leaves the API's own ids as they are", () => {
  expect(toMistralCallId("gSIMJiOkT")).toBe("gSIMJiOkT");
});

it("makes an id of any other text that the API takes, the same each time, and another for another text", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (one, other) => {
      const id = toMistralCallId(one);
      expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
      expect(toMistralCallId(one)).toBe(id);
      expect(toMistralCallId(other) === id).toBe(one === other);
    }),
  );
});

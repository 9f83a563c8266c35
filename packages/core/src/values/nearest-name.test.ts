import { describe, expect, it } from "vitest";
import { didYouMean, nearestName } from "./nearest-name.js";

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

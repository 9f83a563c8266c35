import { describe, expect, it } from "vitest";
import { maskSensitive } from "./mask-sensitive.js";

describe("maskSensitive", () => {
  it("masks what an assertion found wherever it stands, and keeps the list to itself", () => {
    const trial = {
      output: "Write to jo@example.org",
      toolCalls: [{ args: { to: ["jo@example.org"] } }],
      assertions: [
        {
          type: "any_of",
          pass: false,
          score: 0,
          message: "found",
          weight: 1,
          durationMs: 0,
          parts: [
            {
              type: "no_pii",
              pass: false,
              score: 0,
              message: "m",
              weight: 1,
              durationMs: 0,
              sensitive: ["jo@example.org"],
            },
          ],
        },
      ],
    };
    const masked = maskSensitive(trial);
    expect(JSON.stringify(masked)).not.toContain("jo@example.org");
    expect(masked.output).toBe("Write to [masked]");
    expect(JSON.stringify(masked)).not.toContain("sensitive");
  });

  it("returns the very same trial when nothing is sensitive", () => {
    const trial = { assertions: [] };
    expect(maskSensitive(trial)).toBe(trial);
  });
});

import { describe, expect, it } from "vitest";
import { kindlmError } from "../errors/kindlm-error.js";
import { explain } from "./explain.js";

const problem = (message: string, severity: "error" | "warning" = "error") =>
  ({ code: "CONFIG_VALIDATION_ERROR", severity, message }) as const;
const carrying = (...diagnostics: readonly ReturnType<typeof problem>[]) =>
  kindlmError("CONFIG_VALIDATION_ERROR", "not valid", { details: { diagnostics } });

describe("explain", () => {
  const words = { explain: (_error: unknown, told: readonly { message: string }[] = []) => told.map(titled) };
  const titled = ({ message }: { message: string }): { title: string } => ({ title: message });

  it("counts errors alone, and only where not each is told", () => {
    const warnings = [problem("odd", "warning"), problem("odd", "warning")];
    expect(explain(carrying(...warnings, problem("wrong")), words)).toEqual([{ title: "wrong" }]);
    const twice = explain(carrying(...warnings, problem("wrong"), problem("wrong")), words);
    expect(twice).toEqual([{ title: "wrong" }, { title: "2 errors, 1 kind" }]);
  });

  it("tells what is handed in rather than what the error carries", () => {
    expect(explain(carrying(problem("inner")), words, [problem("handed in")])).toEqual([{ title: "handed in" }]);
    expect(explain(carrying(problem("inner")), words, [])).toEqual([{ title: "inner" }]);
  });

  it("has the message of the error without words from outside", () => {
    expect(explain(carrying(problem("wrong")), {})).toEqual([{ title: "not valid" }]);
  });
});

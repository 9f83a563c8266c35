import { kindlmError } from "@kindlm/core";
import { describe, expect, it } from "vitest";
import { explainDigested } from "./explain-error.js";

const problem = (message: string, severity: "error" | "warning" = "error") =>
  ({ code: "CONFIG_VALIDATION_ERROR", severity, message }) as const;
const carrying = (...diagnostics: readonly ReturnType<typeof problem>[]) =>
  kindlmError("CONFIG_VALIDATION_ERROR", "not valid", { details: { diagnostics } });

describe("explainDigested", () => {
  const titles = (...of: Parameters<typeof explainDigested>): string[] =>
    explainDigested(...of).map(({ title }) => title);
  const brief = { verbose: false };

  it("counts errors only, and only if it merges some", () => {
    const warnings = [problem("odd", "warning"), problem("odd", "warning")];
    expect(titles(carrying(...warnings, problem("wrong")), brief)).toEqual(["Config error: wrong"]);
    const twice = titles(carrying(...warnings, problem("wrong"), problem("wrong")), brief);
    expect(twice).toEqual(["Config error: wrong", "2 errors, 1 kind"]);
  });

  it("prefers the problems it receives to those that the error carries", () => {
    const error = carrying(problem("inner"));
    expect(titles(error, brief, [problem("handed in")])).toEqual(["Config error: handed in"]);
    expect(titles(error, brief, [])).toEqual(["Config error: inner"]);
  });
});

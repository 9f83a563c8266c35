import { expect, it } from "vitest";
import { kindlmError } from "../errors/kindlm-error.js";
import { plainError, reviveError } from "./plain-error.js";

it("an error without a cause is the very same", () => {
  const error = kindlmError("TARGET_ERROR", "It failed");
  expect(plainError(error)).toBe(error);
  expect(reviveError(error)).toBe(error);
});

it("a chain of causes is cut where it is very deep, or never ends", () => {
  const endless = new Error("again");
  endless.cause = endless;
  const plain = JSON.stringify(plainError(kindlmError("TARGET_ERROR", "It failed", { cause: endless })));
  expect(plain.split('"message":"again"')).toHaveLength(7);
});

it("a cause without a stack has none afterwards, and not that of whoever reads it", () => {
  const cause = new Error("no stack");
  delete cause.stack;
  const read = reviveError(plainError(kindlmError("TARGET_ERROR", "It failed", { cause })));
  expect(read.cause).toMatchObject({ message: "no stack", stack: "" });
});

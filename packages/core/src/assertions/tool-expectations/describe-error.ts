import * as z from "../../values/deferred-zod.js";
import { toolErrorTypes, type ToolErrorType, type ToolFailure } from "../../transcript/tool-failure.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import { preview } from "../../values/preview.js";
import { inTurn } from "./call-order.js";
import { describeCall, joinNames } from "./made-calls.js";

const errorType = z.enum(toolErrorTypes);

/** `error_type` of an assertion: one type of tool error, or some. */
export const errorTypes = z.union([errorType, z.array(errorType).min(1)]);

/** One type of tool error or some; undefined stands for all. */
export type WantedErrors = ToolErrorType | readonly ToolErrorType[] | undefined;

export function isWantedError(wanted: WantedErrors, error: ToolFailure): boolean {
  return wanted === undefined || (typeof wanted === "string" ? [wanted] : wanted).includes(error.errorType);
}

/** Such as `a runtime error: "upstream timed out"`. */
export function describeError({ errorType: type, message }: ToolFailure, max = 80): string {
  return `${withArticle(type)} error: ${preview(message, max)}`;
}

/** What errors are wanted, such as `a runtime or logical error`. */
export function describeErrors(wanted: WantedErrors): string {
  if (wanted === undefined) return "an error";
  return `${withArticle(joinNames(typeof wanted === "string" ? [wanted] : wanted, "or"))} error`;
}

/** A failed call, such as `pay({amount: 5}) failed in turn 2 with a logical error: "no funds"`. */
export function describeFailedCall(call: TrialToolCall): string {
  const reason = call.error === undefined ? "" : ` with ${describeError(call.error)}`;
  return `${describeCall(call)} failed${inTurn(call)}${reason}`;
}

function withArticle(word: string): string {
  return `${/^[ae]/.test(word) ? "an" : "a"} ${word}`;
}

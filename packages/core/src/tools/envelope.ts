import type { ToolErrorType, ToolFailure } from "../transcript/tool-failure.js";
import type { ToolErrorStyle } from "./tool-config.js";

/** Whether the same call may work again, when nothing else is said. */
export const retryableByType: Readonly<Record<ToolErrorType, boolean>> = {
  validation: false,
  runtime: true,
  logical: true,
  aborted: false,
  exception: true,
};

/** The text that the model receives for a result. */
export function renderToolValue(value: unknown): string {
  if (typeof value === "string") return value;
  return JSON.stringify(value) ?? "null";
}

/** The text that the model receives for a failure: the envelope of the KODE SDK, its message alone, or nothing. */
export function renderToolFailure(failure: ToolFailure, style: ToolErrorStyle): string {
  switch (style) {
    case "plain":
      return failure.message;
    case "none":
      return "";
    case "envelope":
      return JSON.stringify({
        ok: false,
        error: failure.message,
        errorType: failure.errorType,
        retryable: failure.retryable,
        recommendations: failure.recommendations ?? [],
      });
  }
}

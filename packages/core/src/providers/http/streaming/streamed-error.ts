import { isRecord } from "../../../values/json.js";
import type { StreamStep } from "../../wire-format.js";

/** What the names of errors inside a stream would be as the status of a reply. */
const statuses: readonly (readonly [RegExp, number])[] = [
  [/rate_?limit|too_?many|throttl|resource_exhausted/i, 429],
  [/overloaded/i, 529],
  [/unavailable/i, 503],
  [/timeout|deadline/i, 504],
  [/auth|api_?key/i, 401],
  [/permission|forbidden/i, 403],
  [/not_?found/i, 404],
  [/invalid|validation|bad_?request/i, 400],
];

/**
 * An error that a server sends as an event, when the status of its reply is long gone. Numbers in `code` or `status`
 * are statuses; else the name of the error tells, and what has neither is the server's own fault (500).
 */
export function streamedError(data: Record<string, unknown>): Extract<StreamStep, { kind: "error" }> {
  const error = isRecord(data["error"]) ? data["error"] : data;
  const candidates = [error["code"], error["status"], error["status_code"], error["raw_status_code"], error["type"]];
  const body = JSON.stringify(data);
  const number = candidates.find((value) => typeof value === "number" && value >= 400 && value <= 599);
  if (typeof number === "number") return { kind: "error", status: number, body };
  const names = candidates.filter((value) => typeof value === "string").join(" ");
  const status = statuses.find(([pattern]) => pattern.test(names))?.[1] ?? 500;
  return { kind: "error", status, body };
}

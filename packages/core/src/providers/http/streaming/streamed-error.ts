import { isRecord } from "../../../values/json.js";
import type { StreamStep } from "../../wire-format.js";

/** What the names of errors inside a stream would be as the status of a reply. */
const statuses: readonly (readonly [RegExp, number])[] = [
  [/rate[_ ]?limit|too[_ ]?many|throttl|resource_exhausted/i, 429],
  [/overloaded/i, 529],
  [/unavailable/i, 503],
  [/time(?:d[_ ])?out|deadline/i, 504],
  [/authenti|authoriz|api[_ ]?key/i, 401],
  [/permission|forbidden/i, 403],
  [/not[_ ]?found/i, 404],
  [/too[_ ]?large/i, 413],
  [/invalid|validation|bad[_ ]?request/i, 400],
];

/**
 * An error that a server sends as an event, when the status of its reply is long gone. Numbers in `code` or `status`
 * are statuses, also as text; else the name of the error decides, and what has neither is the server's own fault (500).
 */
export function streamedError(data: Record<string, unknown>): Extract<StreamStep, { kind: "error" }> {
  const error = isRecord(data["error"]) ? data["error"] : data;
  const { code, status: named, status_code: numbered, raw_status_code: raw, type } = error;
  const candidates = [code, named, numbered, raw, type, data["error"]];
  const body = JSON.stringify(data);
  const number = candidates.map(Number).find((value) => value >= 400 && value <= 599);
  if (number !== undefined) return { kind: "error", status: number, body };
  const names = candidates.filter((value) => typeof value === "string").join(" ");
  const status = statuses.find(([pattern]) => pattern.test(names))?.[1] ?? 500;
  return { kind: "error", status, body };
}

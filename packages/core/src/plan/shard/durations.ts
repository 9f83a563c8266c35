import { attemptSync } from "../../errors/boundary.js";
import { mebibyte } from "../../files/open-for-reading.js";
import { failure, success, type Result } from "../../result.js";
import { isRecord } from "../../values/json.js";

/** How long the trials of a case took together when it last ran, by the id of the case, milliseconds. */
export type Durations = ReadonlyMap<string, number>;

const version = 1;

/** Of a file of durations. */
export const mostDurationsBytes = 256 * mebibyte;

/** Reads the text of a file of durations; the error says what is wrong with it. */
export function parseDurations(text: string): Result<Durations, string> {
  const parsed = attemptSync<unknown, string>(
    () => JSON.parse(text),
    () => "it is not JSON",
  );
  if (!parsed.success) return parsed;
  if (!isRecord(parsed.data) || !isRecord(parsed.data["cases"])) return failure("it holds no durations of cases");
  if (parsed.data["version"] !== version) return failure("it was written by another version of KindLM");
  const durations = new Map<string, number>();
  for (const [id, durationMs] of Object.entries(parsed.data["cases"])) {
    if (typeof durationMs !== "number" || !(durationMs >= 0)) return failure(`the duration of ${id} is not a number`);
    durations.set(id, durationMs);
  }
  return success(durations);
}

/** One line per case in the order of their ids, so that changes are easy to see. */
export function* renderDurations(durations: Durations): Generator<string> {
  yield `{\n  "version": ${version},\n  "cases": {`;
  let before = "\n";
  for (const id of [...durations.keys()].toSorted()) {
    yield `${before}    ${JSON.stringify(id)}: ${Math.round(durations.get(id) ?? 0)}`;
    before = ",\n";
  }
  yield "\n  }\n}\n";
}

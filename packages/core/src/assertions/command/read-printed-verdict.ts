import { success, type Result } from "../../result.js";
import { isRecord } from "../../values/json.js";
import type { AssertionOutcome } from "../assertion-result.js";
import { readVerdict } from "../read-verdict.js";
import { parseJson } from "../../values/parse-json.js";

/**
 * The verdict in what a program printed; null when it is no JSON object with `pass` or `score`, so that the exit code
 * speaks.
 */
export function readPrintedVerdict(stdout: string, program: string): Result<AssertionOutcome | null, string> {
  const text = stdout.trim();
  if (!text.startsWith("{")) return success(null);
  const parsed = parseJson(text);
  if (!parsed.success || !isRecord(parsed.data)) return success(null);
  if (!Object.hasOwn(parsed.data, "pass") && !Object.hasOwn(parsed.data, "score")) return success(null);
  return readVerdict(parsed.data, program);
}

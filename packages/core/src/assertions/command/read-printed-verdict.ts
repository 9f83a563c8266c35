import { failure, success, type Result } from "../../result.js";
import { isRecord } from "../../values/json.js";
import { parseJson } from "../../values/parse-json.js";
import { preview } from "../../values/preview.js";
import type { AssertionOutcome } from "../assertion-result.js";
import { readVerdict } from "../read-verdict.js";

/**
 * The verdict in what a program printed; null if it is not a JSON object with `pass` or `score`, and the exit code
 * decides. Fails for what was meant as a verdict and cannot be read, such as a message of the agent that breaks the JSON,
 * text around it, or a Python dictionary. Ignored, it would turn a fail into a pass, since the exit code is 0.
 */
export function readPrintedVerdict(stdout: string, program: string): Result<AssertionOutcome | null, string> {
  const text = stdout.trim();
  const parsed = parseJson(text);
  if (parsed.success) {
    const { data } = parsed;
    const isVerdict = isRecord(data) && (Object.hasOwn(data, "pass") || Object.hasOwn(data, "score"));
    return isVerdict ? readVerdict(data, program) : success(null);
  }
  return looksLikeVerdict(text)
    ? failure(`it must be one JSON object and nothing else, but it is ${preview(text)}`)
    : success(null);
}

function looksLikeVerdict(text: string): boolean {
  const brace = text.indexOf("{");
  return brace >= 0 && /["'](?:pass|score)["']\s{0,20}:/.test(text.slice(brace));
}

import type { SchemaValidator } from "../../json-schema/schema-validator.js";
import type { ProviderResponse } from "../../providers/provider.js";
import { failure, success, type Result } from "../../result.js";
import { isRecord, type JsonObject } from "../../values/json.js";
import { parseJson } from "../../values/parse-json.js";

/**
 * The object of a judge's reply; else why it cannot be used, which goes on behind "it ". An object among words
 * that is also in the prompt is a quotation: the agent wrote it, so that it be taken for the judge's own.
 */
export function readJudgeReply(
  response: ProviderResponse,
  prompt: string,
  validator: SchemaValidator,
): Result<JsonObject, string> {
  const { finishReason, toolCalls } = response;
  if (finishReason.unified === "length") return failure("was cut off; raise max_tokens of the judge if it recurs");
  if (finishReason.unified === "refusal" || finishReason.unified === "content_filter") return failure("is a refusal");
  if (toolCalls.length > 0) return failure("calls a tool");
  const text = response.text.trim();
  if (text === "") return failure("is empty");
  const written = text.slice(Math.max(0, text.indexOf("{")), text.lastIndexOf("}") + 1);
  const value = parseObject(written);
  if (value === null) return failure("is not one JSON object");
  if (written !== text && plain(prompt).includes(plain(written))) return failure("quotes an object of the material");
  const [problem] = validator.validate(value);
  if (problem === undefined) return success(value);
  return failure(`has the wrong form: ${problem.path === "" ? "the object" : problem.path} ${problem.message}`);
}

/**
 * What lies between the first brace and the last is taken, without a code fence or words around it. Where the words hold
 * an object too, it is unknown which was meant: that does not count as JSON.
 */
function parseObject(written: string): JsonObject | null {
  const parsed = parseJson(written);
  return parsed.success && isRecord(parsed.data) ? parsed.data : null;
}

/** Tool calls are shown as JSON, where what an agent wrote has a backslash before each quotation mark. */
function plain(text: string): string {
  return text.replaceAll(/[\s\\]+/g, "");
}

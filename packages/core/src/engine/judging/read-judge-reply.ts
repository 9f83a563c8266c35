import { attemptSync } from "../../errors/boundary.js";
import type { SchemaValidator } from "../../json-schema/schema-validator.js";
import type { ProviderResponse } from "../../providers/provider.js";
import { failure, success, type Result } from "../../result.js";
import { isRecord, type JsonObject } from "../../values/json.js";

/** The object of a judge's reply; else why it can not be used, which goes on behind "it ". */
export function readJudgeReply(response: ProviderResponse, validator: SchemaValidator): Result<JsonObject, string> {
  const { finishReason, toolCalls } = response;
  if (finishReason.unified === "length") return failure("was cut off; raise max_tokens of the judge if it recurs");
  if (finishReason.unified === "refusal" || finishReason.unified === "content_filter") return failure("is a refusal");
  if (toolCalls.length > 0) return failure("calls a tool");
  const text = response.text.trim();
  if (text === "") return failure("is empty");
  const value = parseObject(text);
  if (value === null) return failure("is not one JSON object");
  const [problem] = validator.validate(value);
  if (problem === undefined) return success(value);
  return failure(`has the wrong form: ${problem.path === "" ? "the object" : problem.path} ${problem.message}`);
}

/**
 * The one object of a text, without a code fence or words around it. Where the words hold an object too, such as one
 * quoted from the material, nobody can tell which was meant: what lies between the first brace and the last is no JSON
 * then.
 */
function parseObject(text: string): JsonObject | null {
  const parsed = attemptSync(
    (): unknown => JSON.parse(text.slice(Math.max(0, text.indexOf("{")), text.lastIndexOf("}") + 1)),
    () => null,
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what JSON.parse makes of an object is one of JSON
  return parsed.success && isRecord(parsed.data) ? (parsed.data as JsonObject) : null;
}

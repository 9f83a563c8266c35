import type * as z from "zod";
import type { KindlmError } from "../../errors/kindlm-error.js";
import { failure, type Result } from "../../result.js";
import { parseWith } from "../../schema-parts/parse-with.js";
import { renderPath } from "../../values/preview.js";
import { errorReply, type GatewayReply } from "./create-gateway-server.js";
import { bodyRoom, describeJsonProblem, parseJson } from "../../values/parse-json.js";

/** The body of a request; fails with the reply that says what is wrong with it. */
export function parseRequestBody<T>(schema: z.ZodType<T>, body: string): Result<T, GatewayReply> {
  const json = parseJson(body, bodyRoom);
  if (!json.success) return failure(errorReply(400, "invalid_json", `The body is ${describeJsonProblem(json.error)}`));
  const parsed = parseWith(schema, json.data);
  if (parsed.success) return parsed;
  const [first] = parsed.error;
  const message = `${renderPath(first?.path ?? [])}: ${first?.message ?? "not valid"}`;
  return failure(errorReply(400, "invalid_request", message));
}

/** The reply to an agent whose model does not answer. */
export function failureReply(error: KindlmError): GatewayReply {
  const details: Readonly<Record<string, unknown>> = { ...error.details };
  const { status } = details;
  const code = error.code.toLowerCase();
  return errorReply(typeof status === "number" && status >= 400 ? status : 503, code, error.message);
}

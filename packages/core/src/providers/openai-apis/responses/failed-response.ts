import { isRecord } from "../../../values/json.js";
import { streamedError } from "../../http/streaming/streamed-error.js";

/**
 * A response that says `failed`, as the error reply that it would have been. Its codes are listed under
 * https://developers.openai.com/api/reference/resources/responses: those about images mean the request.
 */
export function failedResponse(response: Record<string, unknown>): ReturnType<typeof streamedError> {
  const error = isRecord(response["error"]) ? response["error"] : { code: "server_error", message: "No reason given" };
  const step = streamedError({ error });
  return String(error["code"]).includes("image") ? { ...step, status: 400 } : step;
}

import type { Clock } from "../../../values/clock.js";
import type { Recorder } from "../../program/recorder.js";
import { errorReply, type GatewayReply, type GatewayRequest } from "../create-gateway-server.js";
import { failureReply, parseRequestBody } from "../request-body.js";
import type { ModelService } from "../serve-model.js";
import type { ResponseMemory } from "./create-response-memory.js";
import { readResponsesRequest, resultText } from "./read-responses-request.js";
import { outputItems, renderResponsesReply, renderResponsesStream } from "./render-responses-reply.js";
import { responsesRequestSchema, type ResponsesItem } from "./responses-request-schema.js";

/** `POST /v1/responses`, as OpenAI's API reference has it. */
export async function serveResponses(
  request: GatewayRequest,
  service: ModelService,
  recorder: Recorder,
  memory: ResponseMemory,
  clock: Clock,
): Promise<GatewayReply> {
  const parsed = parseRequestBody(responsesRequestSchema, request.body);
  if (!parsed.success) return parsed.error;
  const conversation = memory.conversationOf(parsed.data);
  if (!conversation.success)
    return errorReply(404, "not_found", `There is nothing with the id "${conversation.error}"`);
  for (const item of conversation.data) {
    if ("type" in item && item.type === "function_call_output") recorder.addResult(item.call_id, resultText(item));
  }
  const read = readResponsesRequest(parsed.data, conversation.data, service.keptOf);
  const answered = await service.ask(read, request.signal);
  if (!answered.success) return failureReply(answered.error);
  const response = answered.data;
  const id = `resp_${recorder.transcript.turns.length}`;
  const output = outputItems(response, id);
  memory.keep(id, conversation.data, new Map<string, ResponsesItem>(output.map((item) => [item.id, item])));
  const model = response.modelServed ?? parsed.data.model ?? "kindlm";
  const stamp = { id, created: Math.floor(clock.now() / 1_000), model };
  const render = parsed.data.stream === true ? renderResponsesStream : renderResponsesReply;
  return render(response, output, stamp);
}

import type { Clock } from "../../../values/clock.js";
import type { Recorder } from "../../program/recorder.js";
import type { GatewayReply, GatewayRequest } from "../create-gateway-server.js";
import { failureReply, parseRequestBody } from "../request-body.js";
import type { ModelService } from "../serve-model.js";
import { chatRequestSchema } from "./chat-request-schema.js";
import { readChatRequest, textOf } from "./read-chat-request.js";
import { renderChatReply, renderChatStream } from "./render-chat-reply.js";

/** `POST /v1/chat/completions`, as OpenAI's API reference has it. */
export async function serveChat(
  request: GatewayRequest,
  service: ModelService,
  recorder: Recorder,
  clock: Clock,
): Promise<GatewayReply> {
  const parsed = parseRequestBody(chatRequestSchema, request.body);
  if (!parsed.success) return parsed.error;
  const { messages, model, stream, stream_options: options } = parsed.data;
  for (const message of messages) {
    if (message.role === "tool") recorder.addResult(message.tool_call_id, textOf(message.content));
  }
  const answered = await service.ask(readChatRequest(parsed.data, service.keptOf), request.signal);
  if (!answered.success) return failureReply(answered.error);
  const response = answered.data;
  const stamp = {
    id: `chatcmpl-${recorder.transcript.turns.length}`,
    created: Math.floor(clock.now() / 1_000),
    model: response.modelServed ?? model ?? "kindlm",
  };
  if (stream !== true) return renderChatReply(response, stamp);
  return renderChatStream(response, stamp, options?.include_usage === true);
}

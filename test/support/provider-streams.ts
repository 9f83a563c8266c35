import type { ServerResponse } from "node:http";
import {
  anthropicMessage,
  chatCompletion,
  type Answer,
  type ProviderShape,
} from "../../packages/core/src/__fixtures__/provider-replies.js";

/** The frames in which a provider streams the answer that {@link successBody} gives as a whole. */
export function streamFrames(shape: ProviderShape, answer: Answer): readonly string[] {
  return shape === "openai" ? chatCompletionFrames(answer) : anthropicFrames(answer);
}

/** Starts a stream. */
export function beginStream(response: ServerResponse, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache", ...headers });
  response.flushHeaders();
}

/** Answers with a whole stream. */
export function sendStream(
  response: ServerResponse,
  frames: readonly string[],
  headers: Readonly<Record<string, string>> = {},
): void {
  beginStream(response, headers);
  for (const frame of frames) response.write(frame);
  response.end();
}

/** Role, text in pieces, the calls with their pieces in turn, finish reason, usage, `[DONE]`. */
function chatCompletionFrames({ text, toolCalls = [] }: Answer): readonly string[] {
  const { choices: _choices, usage, ...head } = chatCompletion({});
  const frame = (choices: readonly unknown[], total: unknown = null): string =>
    `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices, usage: total })}\n\n`;
  const piece = (delta: unknown, finish: string | null = null): string =>
    frame([{ index: 0, delta, logprobs: null, finish_reason: finish }]);
  const written = toolCalls.map(({ args }) => piecesOf(typeof args === "string" ? args : JSON.stringify(args)));
  const longest = Math.max(0, ...written.map((pieces) => pieces.length));
  return [
    piece({ role: "assistant", content: text === undefined ? null : "", refusal: null }),
    ...piecesOf(text ?? "").map((content) => piece({ content })),
    ...toolCalls.map(({ id, tool }, index) =>
      piece({ tool_calls: [{ index, id, type: "function", function: { name: tool, arguments: "" } }] }),
    ),
    ...Array.from({ length: longest }, (_, turn) =>
      written.flatMap((pieces, index) =>
        pieces[turn] === undefined ? [] : [piece({ tool_calls: [{ index, function: { arguments: pieces[turn] } }] })],
      ),
    ).flat(),
    piece({}, toolCalls.length > 0 ? "tool_calls" : "stop"),
    frame([], usage),
    "data: [DONE]\n\n",
  ];
}

/** Start, ping, each block with its pieces, stop reason with usage, stop. */
function anthropicFrames({ text, toolCalls = [] }: Answer): readonly string[] {
  const message = anthropicMessage({ ...(text === undefined ? {} : { text }), toolCalls });
  const usage = message["usage"] as Record<string, unknown>;
  const event = (type: string, data: object = {}): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
  const block = (index: number, content_block: object, deltas: readonly object[]): readonly string[] => [
    event("content_block_start", { index, content_block }),
    ...deltas.map((delta) => event("content_block_delta", { index, delta })),
    event("content_block_stop", { index }),
  ];
  const texts = text === undefined ? [] : [text];
  const first = { ...usage, output_tokens: 1, output_tokens_details: null };
  return [
    event("message_start", { message: { ...message, content: [], stop_reason: null, usage: first } }),
    event("ping"),
    ...texts.flatMap((whole, index) => {
      const deltas = piecesOf(whole).map((piece) => ({ type: "text_delta", text: piece }));
      return block(index, { type: "text", text: "", citations: null }, deltas);
    }),
    ...toolCalls.flatMap(({ id, tool, args }, index) => {
      const start = { type: "tool_use", id, name: tool, input: {}, caller: { type: "direct" } };
      const pieces = ["", ...piecesOf(typeof args === "string" ? args : JSON.stringify(args))];
      const deltas = pieces.map((partial_json) => ({ type: "input_json_delta", partial_json }));
      return block(texts.length + index, start, deltas);
    }),
    event("message_delta", {
      delta: { stop_reason: message["stop_reason"], stop_sequence: null },
      usage: { ...usage, input_tokens: null, cache_read_input_tokens: null },
    }),
    event("message_stop"),
  ];
}

/** Pieces of five characters, whole ones. */
function piecesOf(text: string): readonly string[] {
  return text.match(/.{1,5}/gsu) ?? [];
}

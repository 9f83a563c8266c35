import { gzipSync } from "node:zlib";
import { backoff, type Row, type Step } from "./row.js";
import {
  drips,
  hangsUp,
  json,
  never,
  quoted,
  reply,
  resets,
  says,
  unavailable,
  well,
  wellText,
  type Headers,
} from "./steps.js";

const eventStream: Headers = { "content-type": "text/event-stream" };
const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (delta: unknown, finish: string | null = null): string =>
  data({ id: "c1", model: "model-1", choices: [{ index: 0, delta, finish_reason: finish }] });
const start = chunk({ role: "assistant", content: "" });
const pieces = [start, ...(wellText.match(/.{1,9}/gsu) ?? []).map((content) => chunk({ content }))];
const finish = chunk({}, "stop");
const done = "data: [DONE]\n\n";
const whole = [...pieces, finish, done].join("");

/** Sends this much of a stream, and then does something else; without, the stream ends there in good order. */
const stream =
  (text: string, then?: Step, headers: Headers = eventStream): Step =>
  (scene) =>
    new Promise((resolve) => {
      scene.response.writeHead(200, headers);
      scene.response.flushHeaders();
      const go = (): void => resolve(then === undefined ? void scene.response.end() : then(scene));
      if (text === "") setImmediate(go);
      else scene.response.write(text, () => setImmediate(go));
    });
/** As `stream`, byte by byte. */
const crumbs =
  (text: string): Step =>
  async ({ response }) => {
    response.writeHead(200, eventStream);
    for (const byte of Buffer.from(text)) {
      response.write(Buffer.of(byte));
      await new Promise(setImmediate);
    }
    response.end();
  };

const anthropicEvent = (type: string, more: object = {}): string => `event: ${type}\n${data({ type, ...more })}`;
const anthropicStart = anthropicEvent("message_start", {
  message: { type: "message", role: "assistant", content: [], usage: { input_tokens: 1, output_tokens: 1 } },
});
const anthropicRest =
  anthropicEvent("content_block_start", { index: 0, content_block: { type: "text", text: "" } }) +
  anthropicEvent("content_block_delta", { index: 0, delta: { type: "text_delta", text: wellText } }) +
  anthropicEvent("content_block_stop", { index: 0 }) +
  anthropicEvent("message_delta", { delta: { stop_reason: "end_turn" }, usage: { output_tokens: 9 } }) +
  anthropicEvent("message_stop");
const anthropicOverloaded = anthropicEvent("error", { error: { type: "overloaded_error", message: "Overloaded" } });

const limit = { error: { message: "Slow down.", type: "rate_limit_exceeded", code: "rate_limit_exceeded" } };
const ended = "OpenAI broke off its answer: the stream ended before the answer did";
const closed = "OpenAI broke off its answer: other side closed";
/** Which of the two depends on whether the bytes before a reset have been read. */
const reset = /^OpenAI broke off its answer: (read ECONNRESET|other side closed)$/;
const once = { requests: 1 } as const;
const passes = { code: "passed", requests: 1 } as const;
const again = { code: "passed", requests: 2, waits: backoff.slice(0, 1) } as const;
const cut = { code: "PROVIDER_NETWORK_ERROR", requests: 1 } as const;

const rows: readonly Row[] = [
  { ...passes, name: "the right stream", server: [stream(whole)] },
  { ...passes, name: "byte by byte", server: [crumbs(whole)] },
  { ...passes, name: "no [DONE]", server: [stream([...pieces, finish].join(""))] },
  { ...passes, name: "no finish reason", server: [stream([...pieces, done].join(""))] },
  { ...passes, name: "no empty line at the end", server: [stream(whole.trimEnd())] },
  { ...passes, name: "carriage returns", server: [stream(whole.replaceAll("\n", "\r\n"))] },
  { ...passes, name: "a byte order mark and comments", server: [stream(`\uFEFF: hello\n\n${whole}`)] },
  {
    ...passes,
    name: "a content type of its own",
    server: [stream(whole, undefined, { "content-type": "text/plain" })],
  },
  {
    ...passes,
    name: "a stream in gzip",
    // Another thread decompresses.
    restMs: 250,
    server: [reply(200, gzipSync(whole), { ...eventStream, "content-encoding": "gzip" })],
  },
  { ...passes, name: "plain JSON to one who asked for a stream", server: [well] },
  { ...passes, name: "no end of the connection after [DONE]", server: [stream(whole, never)] },
  { ...passes, name: "a reset after [DONE]", server: [stream(whole, resets)] },

  { ...again, name: "ended in good order after 0 events", server: [stream(""), stream(whole)] },
  { ...again, name: "cut after 0 events", server: [stream("", hangsUp), stream(whole)] },
  { ...again, name: "cut after a comment", server: [stream(": hello\n\n", hangsUp), stream(whole)] },
  { ...again, name: "reset after 0 events", server: [stream("", resets), stream(whole)] },
  { ...again, name: "cut before the headers", server: [hangsUp, stream(whole)] },
  { ...cut, name: "ended in good order after 1 event", server: [stream(start), stream(whole)], message: ended },
  { ...cut, name: "cut after 1 event", server: [stream(start, hangsUp), stream(whole)], message: closed },
  { ...cut, name: "reset after 1 event", server: [stream(start, resets), stream(whole)], message: reset },
  { ...cut, name: "ended in good order after n events", server: [stream(pieces.join(""))], message: ended },
  { ...cut, name: "cut after n events", server: [stream(pieces.join(""), hangsUp)], message: closed },
  {
    ...cut,
    name: "cut in the middle of an event",
    server: [stream(pieces.join("").slice(0, -20), hangsUp)],
    message: closed,
  },
  {
    name: "always cut after 0 events",
    server: [stream("", hangsUp)],
    code: "PROVIDER_NETWORK_ERROR",
    message: closed,
    requests: 3,
    waits: backoff,
  },

  {
    name: "silence before the first event",
    server: [stream("", never)],
    code: "PROVIDER_TIMEOUT",
    message: "OpenAI request timed out after 30000ms in the middle of the reply",
    requests: 3,
    waits: backoff,
    spentMs: 90_000,
  },
  {
    ...once,
    name: "silence after 1 event",
    server: [stream(start, never)],
    code: "PROVIDER_TIMEOUT",
    message: "OpenAI request timed out after 30000ms in the middle of the reply",
    spentMs: 30_000,
  },
  {
    name: "nothing but comments",
    server: [drips(": wait\n\n", 20_000, eventStream)],
    code: "PROVIDER_TIMEOUT",
    message: "OpenAI request timed out after 60000ms",
    requests: 3,
    waits: backoff,
    spentMs: 180_000,
  },
  {
    ...once,
    name: "an event every 20 s, for ever",
    server: [drips(chunk({ content: "a" }), 20_000, eventStream)],
    code: "PROVIDER_TIMEOUT",
    message: "OpenAI request timed out after 60000ms",
    spentMs: 60_000,
  },

  {
    ...once,
    name: "an event that is no JSON",
    server: [stream("data: {oops\n\n")],
    code: "PROVIDER_API_ERROR",
    message: /^OpenAI returned 200 with a stream with an event that is not a JSON object/,
  },
  {
    ...once,
    name: "an event that is no JSON, after n",
    server: [stream(`${pieces.join("")}data: 42\n\n`)],
    code: "PROVIDER_API_ERROR",
    message: "OpenAI returned 200 with a stream with an event that is not a JSON object",
  },
  {
    ...once,
    name: "HTML in place of a stream",
    server: [reply(200, "<p>Welcome</p>", { "content-type": "text/html" })],
    code: "PROVIDER_API_ERROR",
    message: "OpenAI returned 200 with a body that is not JSON: <p>Welcome</p>",
  },
  {
    ...once,
    name: "nothing in place of a stream",
    server: [reply(200, "")],
    code: "PROVIDER_API_ERROR",
    message: "OpenAI returned 200 with an empty body",
  },
  {
    ...once,
    name: "no choice in plain JSON",
    server: [json({ id: "x" })],
    code: "PROVIDER_API_ERROR",
    message: 'OpenAI returned 200 with no choice in its body: {"id":"x"}',
  },
  {
    name: "a limit of the rate as the first event",
    server: [stream(data(limit))],
    code: "PROVIDER_RATE_LIMIT",
    message: "OpenAI rate limit hit. Retry after unknown seconds.",
    requests: 3,
    waits: backoff,
  },
  {
    ...once,
    name: "a limit of the rate as the third event",
    server: [stream([...pieces.slice(0, 2), data(limit)].join(""))],
    code: "PROVIDER_RATE_LIMIT",
    message: "OpenAI rate limit hit. Retry after unknown seconds.",
  },
  {
    ...once,
    name: "an error of the server as the first event",
    server: [stream(data({ error: { message: "Broken.", type: "server_error" } }))],
    code: "PROVIDER_API_ERROR",
    message: 'OpenAI returned 500: {"error":{"message":"Broken.","type":"server_error"}}',
  },
  {
    ...again,
    name: "overloaded as the first event (Anthropic)",
    shape: "anthropic",
    server: [stream(anthropicOverloaded), stream(anthropicStart + anthropicRest)],
  },
  {
    ...once,
    name: "overloaded as the second event (Anthropic)",
    shape: "anthropic",
    server: [stream(anthropicStart + anthropicOverloaded)],
    code: "PROVIDER_API_ERROR",
    message: 'Anthropic returned 529: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
  },
  {
    ...again,
    name: "cut after a ping (Anthropic)",
    shape: "anthropic",
    server: [stream(anthropicEvent("ping"), hangsUp), stream(anthropicStart + anthropicRest)],
  },
  {
    ...cut,
    name: "cut after its start (Anthropic)",
    shape: "anthropic",
    server: [stream(anthropicStart, hangsUp)],
    message: "Anthropic broke off its answer: other side closed",
  },
  {
    name: "503 to one who asked for a stream",
    server: [unavailable, unavailable, stream(whole)],
    code: "passed",
    requests: 3,
    waits: backoff,
  },
  {
    ...once,
    name: "404 to one who asked for a stream",
    server: [says(404, "not_found", "No such model.")],
    code: "PROVIDER_API_ERROR",
    message: quoted(404, "not_found", "No such model."),
  },
];

/** What happens to a stream. It is asked for again only while nothing of the answer was there. */
export const streamRows: readonly Row[] = rows.map((row) => ({
  ...row,
  name: `stream: ${row.name}`,
  model: { stream: true },
}));

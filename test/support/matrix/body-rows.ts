import { pipeline } from "node:stream/promises";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { inflatingTo } from "../../../packages/server/src/__fixtures__/inflating-to.js";
import { backoff, type Row, type Step } from "./row.js";
import { callsTool, json, raw, reply, well, wellBody } from "./steps.js";

const returned = "OpenAI returned 200 with";
const openaiBody = wellBody({ shape: "openai" });
const gzipped = gzipSync(openaiBody);
const megabyte = 1_048_576;
/** Other threads decompress. */
const unpacked = { restMs: 250 };

/** The right answer in an encoding that nobody asked for. */
const encoded = (name: string, body: Buffer): Step =>
  reply(200, body, { "content-type": "application/json", "content-encoding": name });
/** So many MiB of blanks, from one of them. */
const blanks = (count: number): Step => {
  const block = Buffer.alloc(megabyte, " ");
  return ({ response }) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": String(count * megabyte) });
    pipeline(
      Array.from({ length: count }, () => block),
      response,
    ).catch(() => undefined);
  };
};
/** A choice with this message. */
const choice = (message: unknown): Step => json({ choices: [{ index: 0, message, finish_reason: "stop" }] });
const usable = { code: "passed", requests: 1 } as const;
const unusable = { code: "PROVIDER_API_ERROR", requests: 1 } as const;
const isEmpty = { code: "ENGINE_EMPTY_RESPONSE", requests: 1, message: /neither text nor tool calls/ } as const;

/** A 2xx is right or wrong, and never tried again, unless its body tells of a failure that passes. */
export const bodyRows: readonly Row[] = [
  { ...usable, name: "the right answer", server: [well] },
  { ...usable, name: "the right answer of Anthropic", server: [well], shape: "anthropic" },
  { ...usable, name: "201 with the right answer", server: [reply(201, openaiBody)] },
  {
    ...usable,
    name: "a body that calls itself HTML",
    server: [reply(200, openaiBody, { "content-type": "text/html" })],
  },
  { ...usable, name: "a body without a content type", server: [reply(200, openaiBody, {})] },
  { ...usable, name: "a body with a byte order mark", server: [reply(200, `\uFEFF${openaiBody}`)] },
  {
    ...usable,
    name: "a body that says Latin-1 and is not UTF-8",
    server: [reply(200, Buffer.from(openaiBody, "latin1"), { "content-type": "application/json; charset=iso-8859-1" })],
  },
  {
    ...usable,
    name: "8 MiB of blanks around the answer",
    server: [reply(200, openaiBody + " ".repeat(8 * megabyte))],
  },
  { ...usable, ...unpacked, name: "gzip, unasked", server: [encoded("gzip", gzipped)] },
  { ...usable, ...unpacked, name: "Brotli, unasked", server: [encoded("br", brotliCompressSync(openaiBody))] },
  { ...usable, ...unpacked, name: "deflate with its wrapper", server: [encoded("deflate", deflateSync(openaiBody))] },
  {
    ...usable,
    ...unpacked,
    name: "deflate without its wrapper",
    server: [encoded("deflate", deflateRawSync(openaiBody))],
  },
  { ...usable, ...unpacked, name: "gzip in gzip", server: [encoded("gzip, gzip", gzipSync(gzipped))] },
  {
    ...usable,
    name: "usage of the wrong type",
    server: [json({ choices: [{ message: { content: "delivered" } }], usage: "much" })],
  },
  {
    ...usable,
    name: "arguments that are no JSON, which the model is told",
    server: [
      choice({ content: null, tool_calls: [{ id: "c1", function: { name: "lookup_order", arguments: "{order" } }] }),
      well,
    ],
    requests: 2,
  },
  { ...usable, name: "a tool call, and then the answer", server: [callsTool, well], requests: 2, spentMs: 2_000 },
  {
    ...usable,
    name: "a reply of HTTP/1.0 that ends with its connection",
    server: [raw(`HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n${openaiBody}`)],
  },

  { ...unusable, name: "an empty body", server: [reply(200, "")], message: `${returned} an empty body` },
  { ...unusable, name: "a blank body", server: [reply(200, " \r\n ")], message: `${returned} an empty body` },
  { ...unusable, name: "204", server: [reply(204, "", {})], message: "OpenAI returned 204 with an empty body" },
  {
    ...unusable,
    name: "HTML",
    server: [reply(200, "<!DOCTYPE html><p>Welcome</p>", { "content-type": "text/html" })],
    message: `${returned} a body that is not JSON: <!DOCTYPE html><p>Welcome</p>`,
  },
  {
    ...unusable,
    name: "JSON that ends too early",
    server: [reply(200, openaiBody.slice(0, 60))],
    message: `${returned} a body that is not JSON: ${openaiBody.slice(0, 60)}`,
  },
  {
    ...unusable,
    name: "UTF-16",
    server: [reply(200, Buffer.from(openaiBody, "utf16le"))],
    message: `${returned} a body that is not JSON: ${openaiBody.slice(0, 100).replaceAll(/./g, "$&\0")}…`,
  },
  { ...unusable, name: "an array", server: [json([])], message: `${returned} a body that is not a JSON object: []` },
  { ...unusable, name: "null", server: [json(null)], message: `${returned} a body that is not a JSON object: null` },
  {
    ...unusable,
    name: "no choices",
    server: [json({ id: "x" })],
    message: `${returned} no choice in its body: {"id":"x"}`,
  },
  {
    ...unusable,
    name: "an error with a status of success",
    server: [json({ error: { message: "No such model." } })],
    message: 'OpenAI returned 500: {"error":{"message":"No such model."}}',
  },
  {
    ...unusable,
    name: "503 in a body with a status of success",
    server: [json({ error: { code: 503, message: "No instance." } })],
    message: 'OpenAI returned 503: {"error":{"code":503,"message":"No instance."}}',
    requests: 3,
    waits: backoff,
  },
  {
    ...unusable,
    name: "an empty list of choices",
    server: [json({ choices: [] })],
    message: `${returned} no choice in its body: {"choices":[]}`,
  },
  {
    ...unusable,
    name: "choices of the wrong type",
    server: [json({ choices: "delivered" })],
    message: `${returned} no choice in its body: {"choices":"delivered"}`,
  },
  {
    ...unusable,
    name: "a choice without a message",
    server: [json({ choices: [{ message: null }] })],
    message: `${returned} no choice in its body: {"choices":[{"message":null}]}`,
  },
  {
    ...unusable,
    name: "a tool call without a name",
    server: [choice({ tool_calls: [{ id: "c1", type: "function" }] })],
    message: /^OpenAI returned 200 with a tool call that has no function name: \{/,
  },
  {
    ...unusable,
    name: "no content (Anthropic)",
    server: [json({ type: "message" })],
    shape: "anthropic",
    message: 'Anthropic returned 200 with no content in its body: {"type":"message"}',
  },
  { ...isEmpty, name: "content of the wrong type", server: [choice({ content: 42 })] },
  {
    ...unusable,
    name: "tool calls of the wrong type",
    server: [choice({ content: "", tool_calls: { id: "c1" } })],
    message:
      /^OpenAI returned 200 with what looks like a tool call, at choices\[0\]\.message\.tool_calls, and cannot be read/,
  },
  {
    ...unusable,
    name: "more than 50 MiB",
    server: [blanks(51)],
    message: "OpenAI returned 200, but the reply is larger than 50 MiB",
  },
  {
    ...unusable,
    ...unpacked,
    name: "gzip that is none",
    server: [encoded("gzip", Buffer.from("plain"))],
    message: "OpenAI returned 200, but the reply is not valid gzip: incorrect header check",
  },
  {
    ...unusable,
    ...unpacked,
    name: "gzip that ends too early",
    server: [encoded("gzip", gzipped.subarray(0, 80))],
    message: "OpenAI returned 200, but the reply is not valid gzip: unexpected end of file",
  },
  {
    ...unusable,
    ...unpacked,
    name: "gzip that unpacks to 60 MiB",
    server: [encoded("gzip", inflatingTo(60 * megabyte))],
    message: /^OpenAI returned 200, but the reply is not valid gzip: /,
  },
  {
    ...unusable,
    name: "an encoding that nobody knows",
    server: [encoded("zip", gzipped)],
    message: 'OpenAI returned 200, but the reply is encoded as "zip", which is not supported',
  },
];

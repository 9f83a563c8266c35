import { parseOwnJson, type JsonValue } from "../values/json.js";
import { createHash } from "node:crypto";
import type { ExchangeContext, HttpRequest } from "../providers/http/transport.js";
import { redactValue } from "../redaction/redact-value.js";
import { canonicalJson } from "../values/canonical-json.js";
import { withPlainFences } from "../values/fence-name.js";
import type { RequestLine } from "./cassette-lines.js";
import { bodyRoom, parseJson } from "../values/parse-json.js";

const keyLength = 16;
/** Pictures and the like: longer than this they are written down by their hash alone. */
const longestBase64 = 2_000;
const base64 = /^(?:data:[^,]{1,100},)?[A-Za-z0-9+/_-]+={0,2}$/;

/** A hash that does not depend on the order of keys. */
export function hashOf(value: unknown): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex").slice(0, keyLength);
}

/**
 * A request as it is compared and written down: what makes the answer what it is, and nothing else. Of a request to a
 * model that is provider, model and body; addresses, headers and the keys in them do not matter.
 */
export function canonicalRequest(
  { url, method, body, sink }: HttpRequest,
  { asked, volatile = {}, isCount }: Pick<ExchangeContext, "asked" | "volatile" | "isCount">,
  redact: (text: string) => string,
): RequestLine {
  const clean = (text: string): string =>
    text.length > longestBase64 && base64.test(text)
      ? digestOf(text)
      : redact(maskVolatile(withPlainFences(text), volatile));
  const kept = sortKeys(redactValue(body === undefined ? null : parseBody(body), clean));
  const about: Omit<RequestLine, "request" | "body"> =
    asked === null ? { method, path: clean(pathOf(url)) } : { provider: asked.provider, model: asked.model };
  if (sink !== undefined) about.stream = true;
  if (isCount === true) about.path = "count";
  return { request: hashOf({ ...about, body: kept }), ...about, body: kept };
}

function digestOf(text: string): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")} of ${text.length} characters`;
}

/** Masks the strings that are new in each run, by their names. */
export function maskVolatile(text: string, volatile: Readonly<Record<string, string>>): string {
  let masked = text;
  for (const [name, value] of Object.entries(volatile))
    if (value !== "") masked = masked.replaceAll(value, `{{${name}}}`);
  return masked;
}

export function fillVolatile(text: string, volatile: Readonly<Record<string, string>>): string {
  let filled = text;
  for (const [name, value] of Object.entries(volatile)) filled = filled.replaceAll(`{{${name}}}`, value);
  return filled;
}

function parseBody(body: string): unknown {
  const parsed = parseJson(body, bodyRoom);
  return parsed.success ? parsed.data : body;
}

const secretParameter = /key|token|secret|auth|sig|password/i;

/** Path and query: one agent may be at another address tomorrow. Keys in the query are left out. */
function pathOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { pathname, searchParams } = new URL(url);
  const query = [...searchParams].filter(([name]) => !secretParameter.test(name));
  return query.length === 0 ? pathname : `${pathname}?${new URLSearchParams(query).toString()}`;
}

function sortKeys(value: JsonValue): JsonValue {
  return parseOwnJson(canonicalJson(value));
}

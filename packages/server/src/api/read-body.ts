import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { mostInflatedBytes, mostSentBytes } from "@kindlm/core/upload";
import { invalid, payloadTooLarge } from "./api-error.js";

const inflate = promisify(gunzip);

/**
 * The body of a request, inflated. What exceeds a limit is refused as soon as it does: neither is the rest of a large
 * body read, nor that of a small one that inflates to a large one. A form becomes JSON if the route takes forms.
 */
export async function readBody(request: Request, takesForms = false): Promise<Buffer> {
  const body = await inflateBody(request);
  const isForm = request.headers.get("content-type")?.startsWith("application/x-www-form-urlencoded") === true;
  if (!takesForms || !isForm) return body;
  return Buffer.from(JSON.stringify(Object.fromEntries(new URLSearchParams(body.toString("utf8")))));
}

async function inflateBody(request: Request): Promise<Buffer> {
  const sent = await readSent(request);
  const encoding = request.headers.get("content-encoding") ?? "identity";
  if (encoding === "identity") return sent;
  if (encoding !== "gzip") throw invalid(`Content-Encoding "${encoding}" is not supported: use gzip`);
  try {
    return await inflate(sent, { maxOutputLength: mostInflatedBytes });
  } catch (error) {
    if (error instanceof RangeError) throw payloadTooLarge({ limit_bytes: mostInflatedBytes, inflated: true });
    throw invalid("The body is not valid gzip");
  }
}

interface ByteReader {
  read(): Promise<{ done: true } | { done: false; value: Uint8Array }>;
  cancel(): Promise<void>;
}

async function readSent(request: Request): Promise<Buffer> {
  const tooLarge = payloadTooLarge({ limit_bytes: mostSentBytes });
  if (Number(request.headers.get("content-length") ?? 0) > mostSentBytes) throw tooLarge;
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader: ByteReader | undefined = request.body?.getReader();
  for (;;) {
    const read = await reader?.read();
    if (read === undefined || read.done) return Buffer.concat(chunks);
    size += read.value.byteLength;
    if (size > mostSentBytes) {
      await reader?.cancel();
      throw tooLarge;
    }
    chunks.push(read.value);
  }
}

/** What no text column can hold: NUL, and halves of a character. */
const unstorable = /\\(?:(\\)|u0000|(ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2})|ud[89a-f][\da-f]{2})/gi;

/** The JSON in a body. Characters that the database cannot hold become U+FFFD. */
export function parseJson(body: Buffer): unknown {
  const text = body.toString("utf8");
  const storable = text.includes(String.raw`\u`)
    ? text.replaceAll(unstorable, (found, backslash?: string, pair?: string) =>
        backslash === undefined && pair === undefined ? String.raw`\ufffd` : found,
      )
    : text;
  try {
    return JSON.parse(storable);
  } catch {
    throw invalid("The body is not valid JSON");
  }
}

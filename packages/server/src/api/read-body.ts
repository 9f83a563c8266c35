import { isAscii } from "node:buffer";
import { promisify } from "node:util";
import { gunzip, gunzipSync } from "node:zlib";
import { mostInflatedBytes, mostSentBytes } from "@kindlm/core/upload";
import { invalid, payloadTooLarge, type ApiError } from "./api-error.js";

const inflate = promisify(gunzip);

/** The body of a request as it was sent. */
export interface SentBody {
  bytes: Uint8Array;
  /** What `Content-Encoding` says; `identity` if it says nothing. */
  encoding: string;
  /** Whether it is that of a form. */
  isForm: boolean;
}

/** The body of a request, inflated. A form becomes JSON if the route takes forms. */
export async function readBody(sent: SentBody, takesForms = false): Promise<Buffer> {
  const body = await inflateBody(sent);
  if (!takesForms || !sent.isForm) return body;
  return Buffer.from(JSON.stringify(Object.fromEntries(new URLSearchParams(body.toString("utf8")))));
}

/** Zlib hands over its output in pieces of this size. */
const inflatedPiece = 256 * 1_024;

/** Inflates no more of a small body than a large one may have. */
export async function inflateBody(sent: SentBody): Promise<Buffer> {
  if (!isGzip(sent)) return asSent(sent);
  try {
    return await inflate(sent.bytes, { maxOutputLength: mostInflatedBytes, chunkSize: inflatedPiece });
  } catch (error) {
    throw explainGzip(error);
  }
}

/** The same in the thread that calls it, which takes less time in all. */
export function inflateHere(sent: SentBody): Buffer {
  if (!isGzip(sent)) return asSent(sent);
  try {
    return gunzipSync(sent.bytes, { maxOutputLength: mostInflatedBytes, chunkSize: pieceFor(sent.bytes) });
  } catch (error) {
    throw explainGzip(error);
  }
}

const asSent = ({ bytes }: SentBody): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function isGzip({ encoding }: SentBody): boolean {
  if (encoding === "identity" || encoding === "gzip") return encoding === "gzip";
  throw invalid(`Content-Encoding "${encoding}" is not supported: use gzip`);
}

function explainGzip(error: unknown): ApiError {
  if (error instanceof RangeError) return payloadTooLarge({ limit_bytes: mostInflatedBytes, inflated: true });
  return invalid("The body is not valid gzip");
}

/** The largest piece that is made at once for the sake of what gzip says of its size, which anyone may have written. */
const mostPiece = 8 * 1_024 * 1_024;
const sizeBytes = 4;

/** One piece for all of a body needs no copy of it. */
function pieceFor(bytes: Uint8Array): number {
  const end = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).subarray(-sizeBytes);
  const size = end.length === sizeBytes ? end.readUInt32LE() + 1 : inflatedPiece;
  return size <= mostPiece ? Math.max(size, inflatedPiece) : inflatedPiece;
}

interface ByteReader {
  read(): Promise<{ done: true } | { done: false; value: Uint8Array }>;
  cancel(): Promise<void>;
}

/** Reads the body of a request, but no further than its limit. */
export async function readSent(request: Request): Promise<SentBody> {
  return {
    bytes: await readBytes(request),
    encoding: request.headers.get("content-encoding") ?? "identity",
    isForm: request.headers.get("content-type")?.startsWith("application/x-www-form-urlencoded") === true,
  };
}

async function readBytes(request: Request): Promise<Buffer> {
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

/** The text of a body. Characters in JSON that the database cannot hold become U+FFFD. */
export function readText(body: Buffer): string {
  // Most uploads are ASCII, which is there at once as Latin-1. UTF-8 takes as long as to parse it.
  const text = body.toString(isAscii(body) ? "latin1" : "utf8");
  return text.includes(String.raw`\u`)
    ? text.replaceAll(unstorable, (found, backslash?: string, pair?: string) =>
        backslash === undefined && pair === undefined ? String.raw`\ufffd` : found,
      )
    : text;
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid("The body is not valid JSON");
  }
}

import { failure, success, type Result } from "../../result.js";
import type { HttpReply } from "./transport.js";

/** No reply of a model comes near this; a larger one is a fault, and must not fill the memory. */
export const maxBodyBytes = 50 * 1_048_576;

/** A stream repeats its envelope with every few characters of the answer, and is not kept. */
export const maxStreamBytes = 8 * maxBodyBytes;

export interface DecodeProblem {
  message: string;
  cause: Error;
}

/** True when the body is compressed, although it was not asked for. */
export function isEncoded(headers: HttpReply["headers"]): boolean {
  const encoding = headers["content-encoding"];
  return encoding !== undefined && encoding !== "" && encoding !== "identity";
}

/** The text of a compressed body. Several encodings are undone from the last to the first. */
export async function decodeBody(
  chunks: readonly Buffer[],
  headers: HttpReply["headers"],
): Promise<Result<string, DecodeProblem>> {
  const encodings = (headers["content-encoding"] ?? "").split(",").map((name) => name.trim().toLowerCase());
  const applied = encodings.filter((name) => name !== "identity" && name !== "");
  const decoded = await decodeAll(applied, Buffer.concat(chunks));
  return decoded.success ? success(decoded.data.toString("utf8")) : decoded;
}

async function decodeAll(encodings: readonly string[], body: Buffer): Promise<Result<Buffer, DecodeProblem>> {
  const last = encodings.at(-1);
  // A reply without a body may still name an encoding, and no decoder takes nothing for something.
  if (last === undefined || body.length === 0) return success(body);
  const decoded = await decodeOne(last, body);
  return decoded.success ? decodeAll(encodings.slice(0, -1), decoded.data) : decoded;
}

type Decoder = (
  body: Buffer,
  options: { maxOutputLength: number },
  callback: (error: Error | null, decoded: Buffer) => void,
) => void;

async function decodeOne(encoding: string, body: Buffer): Promise<Result<Buffer, DecodeProblem>> {
  const { brotliDecompress, gunzip, inflate, inflateRaw } = await import("node:zlib");
  const decoders: Readonly<Record<string, Decoder>> = {
    gzip: gunzip,
    "x-gzip": gunzip,
    br: brotliDecompress,
    // Some servers send deflate without the wrapper that the standard asks for; the first byte shows which.
    deflate: ((body[0] ?? 0) & 0x0f) === 0x08 ? inflate : inflateRaw,
  };
  const decoder = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined;
  if (decoder === undefined) {
    const message = `the reply is encoded as "${encoding}", which is not supported`;
    return failure({ message, cause: new Error(message) });
  }
  return new Promise((resolve) => {
    decoder(body, { maxOutputLength: maxBodyBytes }, (error, decoded) => {
      if (error === null) resolve(success(decoded));
      else resolve(failure({ message: `the reply is not valid ${encoding}: ${error.message}`, cause: error }));
    });
  });
}

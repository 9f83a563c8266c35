import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { kindlmError } from "../../errors/kindlm-error.js";
import { failure, success, type Result } from "../../result.js";
import type { CaseDocument } from "../case-document.js";
import { mostPartCases } from "../upload-limits.js";

const compress = promisify(gzip);

/** What a request aims for, compressed: the server refuses more than 5 MiB. */
export const aimedBytes = 4_500_000;
/** Before compression: the server inflates at most 64 MiB. */
const mostPlainBytes = 32 * 1024 * 1024;

export const usualLimits = { bytes: aimedBytes, cases: mostPartCases };

export interface Part {
  /** The cases as NDJSON, compressed. */
  bytes: Uint8Array;
  cases: readonly CaseDocument[];
  /** IDs of cases that go without their transcript, since they are too large with it. */
  shortened: readonly string[];
}

/**
 * Divides cases into parts of at most 1,000 cases and 4.5 MB. A case that is too large for a part goes without its
 * transcript. Fails with CLOUD_UPLOAD_ERROR if one is too large even so. Holds one part in memory.
 */
export async function* packCases(
  cases: AsyncIterable<CaseDocument>,
  limits = usualLimits,
): AsyncIterable<Result<Part>> {
  let waiting: CaseDocument[] = [];
  let plainBytes = 0;
  for await (const one of cases) {
    const bytes = Buffer.byteLength(JSON.stringify(one)) + 1;
    if (waiting.length > 0 && (waiting.length >= limits.cases || plainBytes + bytes > mostPlainBytes)) {
      yield* await divide(waiting, limits.bytes);
      waiting = [];
      plainBytes = 0;
    }
    waiting.push(one);
    plainBytes += bytes;
  }
  if (waiting.length > 0) yield* await divide(waiting, limits.bytes);
}

async function divide(cases: readonly CaseDocument[], most: number): Promise<readonly Result<Part>[]> {
  const bytes = await compress(linesOf(cases));
  if (bytes.length <= most) return [success({ bytes, cases, shortened: [] })];
  const [only] = cases;
  if (cases.length > 1 || only === undefined) {
    const middle = Math.ceil(cases.length / 2);
    return [...(await divide(cases.slice(0, middle), most)), ...(await divide(cases.slice(middle), most))];
  }
  const { transcripts: _tooLarge, ...rest } = only;
  const less = await compress(linesOf([rest]));
  if (less.length <= most) return [success({ bytes: less, cases: [rest], shortened: [only.id] })];
  const message = `Case ${only.id} is too large for an upload: ${less.length} bytes, at most ${most}`;
  return [failure(kindlmError("CLOUD_UPLOAD_ERROR", message, { details: { hint: "Upload without messages" } }))];
}

function linesOf(cases: readonly CaseDocument[]): string {
  return cases.map((one) => `${JSON.stringify(one)}\n`).join("");
}

/** A document as it is sent. */
export async function packJson(document: unknown): Promise<Uint8Array> {
  return compress(JSON.stringify(document));
}

import {
  caseDocumentSchema,
  mostPartCases,
  runDocumentSchema,
  type CaseDocument,
  type RunDocument,
} from "@kindlm/core/upload";
import * as z from "zod";
import { invalid } from "../api/api-error.js";
import { check } from "../api/check-value.js";
import { inflateHere, parseJson, readText, type SentBody } from "../api/read-body.js";
import { sha256 } from "../auth/secrets.js";
import { compressText } from "../runs/compress-document.js";
import { CasePacker, packCases, type PackedCases } from "../runs/pack-cases.js";

/** Clones, since core builds its schemas at their first use, which a JSON Schema cannot be made of. */
export const uploadBody = z.object({
  run: runDocumentSchema.clone(),
  cases: z.array(caseDocumentSchema.clone()).optional().describe("All cases; absent if they come in parts"),
});

interface ReadRun {
  run: RunDocument;
  /** Null if the cases come in parts. */
  cases: PackedCases | null;
  /** SHA-256 of the body, inflated. */
  digest: string;
}

interface ReadPart extends Pick<PackedCases, "includes"> {
  count: number;
  /** The packed cases, compressed. */
  body: Uint8Array;
  /** SHA-256 of the body, inflated. */
  digest: string;
}

/** What becomes of each kind of body. */
export interface Uploads {
  run: ReadRun;
  part: ReadPart;
}

/** Reads a body: inflates, checks, and packs it. Throws an ApiError that says what is wrong with it. */
export const readUpload: { [Kind in keyof Uploads]: (sent: SentBody) => Uploads[Kind] } = {
  run(sent) {
    const body = inflateHere(sent);
    return { ...readRun(readText(body)), digest: sha256(body) };
  },
  part(sent) {
    const body = inflateHere(sent);
    const packed = packLines(readText(body));
    const { ids, includes } = packed;
    return { count: ids.length, includes, body: compressText(JSON.stringify(packed)), digest: sha256(body) };
  },
};

function readRun(text: string): Omit<ReadRun, "digest"> {
  const measured = readMeasured(text);
  if (measured !== null) return measured;
  const { run, cases } = check(uploadBody, parseJson(text), "body");
  return { run, cases: cases === undefined ? null : packCases(cases) };
}

const headSchema = uploadBody.pick({ run: true });
const beforeCases = '"cases":[';
const afterCases = "]}";
/** Between cases as `JSON.stringify` writes them. Elsewhere it stands too, but not between two values that are whole. */
const betweenCases = '},{"id":';

/**
 * Reads a run as the client writes it, case by case: each is packed as it was sent, and forgotten. Null for a run that is
 * written in another way, or has a case with more than measurements.
 */
function readMeasured(text: string): Omit<ReadRun, "digest"> | null {
  const from = text.indexOf(beforeCases) + beforeCases.length;
  if (from < beforeCases.length || !text.endsWith(afterCases)) return null;
  // With an empty list in their place the rest is whole, and so is each case: then the text is one too, with these cases.
  const head = parseOrNull(`${text.slice(0, from)}${afterCases}`);
  if (head === null) return null;
  const packer = new CasePacker();
  for (let at = from; at < text.length;) {
    const next = text.indexOf(betweenCases, at);
    const end = next === -1 ? text.length - afterCases.length : next + 1;
    const written = text.slice(at, end);
    const value = parseOrNull(written);
    if (!isMeasuredCase(value)) return null;
    packer.add(value, written);
    at = next === -1 ? text.length : end + 1;
  }
  return { ...check(headSchema, head, "body"), cases: packer.finish() };
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function packLines(text: string): PackedCases {
  const lines = text.split("\n").filter((line) => line !== "");
  if (lines.length === 0 || lines.length > mostPartCases) throw invalid(`A part has 1 to ${mostPartCases} cases`);
  const packer = new CasePacker();
  for (const [index, line] of lines.entries()) {
    const value = parseJson(line);
    if (isMeasuredCase(value)) packer.add(value, line);
    else packer.add(checkLine(value, index));
  }
  return packer.finish();
}

function checkLine(value: unknown, index: number): CaseDocument {
  const parsed = caseDocumentSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = ["body", String(index), ...(issue?.path ?? []).map(String)].join(".");
  throw invalid(`Line ${index + 1} of the part is not a case`, [
    { path: place, code: issue?.code ?? "custom", message: issue?.message ?? "" },
  ]);
}

type Schema = z.core.$ZodType;

/** The schema without room for keys that it does not name, at any depth. */
function exactly(schema: Schema): Schema {
  if (schema instanceof z.ZodObject) return exactObject(schema.shape);
  if (schema instanceof z.ZodArray) return schema.clone({ ...schema.def, element: exactly(schema.element) });
  if (schema instanceof z.ZodOptional) return z.optional(exactly(schema.unwrap()));
  if (schema instanceof z.ZodNullable) return z.nullable(exactly(schema.unwrap()));
  if (schema instanceof z.ZodLazy) return exactly(schema.unwrap());
  return schema;
}

function exactObject(shape: Readonly<Record<string, Schema>>): Schema {
  return z.strictObject(Object.fromEntries(Object.entries(shape).map(([key, value]) => [key, exactly(value)])));
}

let validators: readonly Schema[] | null = null;

/** Code is generated for them, since an upload has a hundred values in each of a thousand cases. */
function makeValidators(): readonly Schema[] {
  return caseDocumentSchema.options.map(({ shape }) => {
    // Code cannot follow the depth of a transcript.
    const { messages: _messages, transcripts: _transcripts, ...measured } = shape;
    return z.compile(exactObject(measured));
  });
}

/**
 * Whether a value is a case as it is stored: valid, with measurements only, and without a key that would be left out. Most are,
 * and to see that takes a tenth of the time of making another object of it.
 */
export function isMeasuredCase(value: unknown): value is CaseDocument {
  validators ??= makeValidators();
  return validators.some((one) => z.validate(one, value));
}

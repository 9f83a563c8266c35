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
import { inflateBody, parseJson, type SentBody } from "../api/read-body.js";
import { sha256 } from "../auth/secrets.js";
import { compressText } from "../runs/compress-document.js";
import { packCases, type PackedCases } from "../runs/pack-cases.js";
import { isMeasuredCase } from "./measured-case.js";

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
export const readUpload: { [Kind in keyof Uploads]: (sent: SentBody) => Promise<Uploads[Kind]> } = {
  async run(sent) {
    const body = await inflateBody(sent);
    const { run, cases } = readRun(parseJson(body));
    return { run, cases: cases === undefined ? null : packCases(cases), digest: sha256(body) };
  },
  async part(sent) {
    const body = await inflateBody(sent);
    const packed = packCases(parseLines(body));
    const { ids, includes } = packed;
    return { count: ids.length, includes, body: compressText(JSON.stringify(packed)), digest: sha256(body) };
  },
};

const headSchema = uploadBody.pick({ run: true });

function readRun(value: unknown): z.infer<typeof uploadBody> {
  const list: unknown = typeof value === "object" && value !== null && "cases" in value ? value.cases : null;
  const cases: readonly unknown[] | null = Array.isArray(list) ? list : null;
  if (cases === null || !cases.every(isMeasuredCase)) return check(uploadBody, value, "body");
  return { ...check(headSchema, value, "body"), cases: [...cases] };
}

function parseLines(body: Buffer): readonly CaseDocument[] {
  const lines = body
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "");
  if (lines.length === 0 || lines.length > mostPartCases) throw invalid(`A part has 1 to ${mostPartCases} cases`);
  return lines.map((line, index) => {
    const value = parseJson(Buffer.from(line));
    if (isMeasuredCase(value)) return value;
    const parsed = caseDocumentSchema.safeParse(value);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    const place = ["body", String(index), ...(issue?.path ?? []).map(String)].join(".");
    throw invalid(`Line ${index + 1} of the part is not a case`, [
      { path: place, code: issue?.code ?? "custom", message: issue?.message ?? "" },
    ]);
  });
}

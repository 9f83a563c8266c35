import type { CaseDocument } from "@kindlm/core/upload";
import * as z from "zod";
import { compressText } from "./compress-document.js";

/** A column of rows, as PostgreSQL writes an array. */
const column = z.string();

/**
 * Cases as the database takes them: rows of all tables as columns, with the documents compressed. Packing takes longer than
 * storing, so it is done before, apart from what answers requests.
 */
export const packedCasesSchema = z.object({
  ids: z.array(z.string()),
  /** Whether a case has messages or transcripts. */
  includes: z.array(z.enum(["messages", "transcripts"])),
  names: z.object({ suite: column, name: column, model: column }),
  results: z.object({
    id: column,
    status: column,
    passes: column,
    counted: column,
    mixed: column,
    latency: column,
    cost: column,
    code: column,
    agent: column,
    check: column,
  }),
  /** Blocks of cases: place of the first from 1, number of cases, and the cases in Base64. */
  trials: z.object({ place: column, cases: column, document: column }),
  transcripts: z.object({ id: column, document: column }).nullable(),
});

export type PackedCases = z.infer<typeof packedCasesSchema>;

type Value = string | number | boolean | null;

const special = /["\\]/;

/** An array as PostgreSQL reads it. */
function columnOf(values: readonly Value[]): string {
  const written = values.map((value) => {
    if (value === null) return "null";
    if (typeof value !== "string") return String(value);
    // To replace nothing takes five times as long as to see that there is nothing.
    return special.test(value) ? `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"` : `"${value}"`;
  });
  return `{${written.join(",")}}`;
}

/** Packs cases, which stay in their order. */
export function packCases(cases: readonly CaseDocument[]): PackedCases {
  const of = (value: (one: CaseDocument) => Value): string => columnOf(cases.map(value));
  const ofRun = (value: (one: Exclude<CaseDocument, { status: "skipped" }>) => Value, skipped: Value = null): string =>
    of((one) => (one.status === "skipped" ? skipped : value(one)));
  const spoken = cases.filter(({ messages, transcripts }) => messages !== undefined || transcripts !== undefined);
  return {
    ids: cases.map(({ id }) => id),
    includes: (["messages", "transcripts"] as const).filter((part) => spoken.some((one) => one[part] !== undefined)),
    names: { suite: of(({ suite }) => suite), name: of(({ name }) => name), model: of(({ model }) => model) },
    results: {
      id: of(({ id }) => id),
      status: of(({ status }) => status),
      passes: ofRun(({ passes }) => passes, 0),
      counted: ofRun(({ counted }) => counted, 0),
      mixed: ofRun(({ mixed }) => mixed, false),
      latency: ofRun(({ latencyMs }) => latencyMs),
      cost: ofRun(({ costUsd }) => costUsd),
      code: ofRun(({ error }) => error?.code ?? null),
      agent: ofRun(({ agentHash }) => agentHash),
      check: ofRun(({ checkHash }) => checkHash),
    },
    trials: packTrials(cases),
    transcripts: spoken.length === 0 ? null : packTranscripts(spoken),
  };
}

/**
 * Cases that are compressed together: what differs between them is little. More would make reading a single one slow.
 */
const mostBlockCharacters = 128 * 1_024;

function packTrials(cases: readonly CaseDocument[]): PackedCases["trials"] {
  const blocks: string[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const { messages: _messages, transcripts: _transcripts, ...measured } of cases) {
    const text = JSON.stringify(measured);
    if (size + text.length > mostBlockCharacters) {
      blocks.push([]);
      size = 0;
    }
    blocks.at(-1)?.push(text);
    size += text.length;
  }
  let next = 1;
  const places = blocks.map(({ length }) => (next += length) - length);
  return {
    place: columnOf(places),
    cases: columnOf(blocks.map(({ length }) => length)),
    document: columnOf(blocks.map((texts) => compressText(`[${texts.join(",")}]`).toString("base64"))),
  };
}

function packTranscripts(cases: readonly CaseDocument[]): NonNullable<PackedCases["transcripts"]> {
  const documents = cases.map(({ messages, transcripts }) => compressText(JSON.stringify({ messages, transcripts })));
  return {
    id: columnOf(cases.map(({ id }) => id)),
    document: columnOf(documents.map((document) => document.toString("base64"))),
  };
}

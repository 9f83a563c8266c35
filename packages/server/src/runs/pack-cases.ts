import type { CaseDocument } from "@kindlm/core/upload";
import * as z from "zod";
import { Columns } from "./columns.js";
import { compressText } from "./compress-document.js";

export const nameColumns = [
  ["id", "text"],
  ["suite", "text"],
  ["name", "text"],
  ["model", "text"],
] as const;

export const resultColumns = [
  ["status", "text"],
  ["passes", "int"],
  ["counted", "int"],
  ["mixed", "boolean"],
  ["latency", "double precision"],
  ["cost", "double precision"],
  ["code", "text"],
  ["agent", "text"],
  ["check", "text"],
] as const;

/** Blocks of cases: place of the first from 1, number of cases, and the cases in Base64. */
export const trialColumns = [
  ["place", "int"],
  ["cases", "int"],
  ["document", "text"],
] as const;

export const transcriptColumns = [
  ["id", "text"],
  ["document", "text"],
] as const;

const columns = z.array(z.string());

/**
 * Cases as the database takes them: rows of all tables as columns, with the documents compressed. Packing takes longer than
 * storing, so it is done before, apart from what answers requests.
 */
export const packedCasesSchema = z.object({
  ids: columns,
  /** Whether a case has messages or transcripts. */
  includes: z.array(z.enum(["messages", "transcripts"])),
  names: columns,
  results: columns,
  trials: columns,
  transcripts: columns.nullable(),
});

export type PackedCases = z.infer<typeof packedCasesSchema>;

/** Packs cases, which stay in their order. */
export function packCases(cases: Iterable<CaseDocument>): PackedCases {
  const packer = new CasePacker();
  for (const one of cases) packer.add(one);
  return packer.finish();
}

/** Packs cases one after the other, so that none has to stay until all are there. */
export class CasePacker {
  readonly #ids: string[] = [];
  readonly #names = new Columns(nameColumns);
  readonly #results = new Columns(resultColumns);
  readonly #blocks = new BlockPacker();
  readonly #transcripts = new Columns(transcriptColumns);
  readonly #includes = new Set<PackedCases["includes"][number]>();

  /** @param text - the JSON of a case that has measurements only */
  add(one: CaseDocument, text?: string): void {
    this.#ids.push(one.id);
    this.#names.add(one);
    this.#results.add(resultOf(one));
    this.#blocks.add(text ?? this.#split(one));
  }

  finish(): PackedCases {
    return {
      ids: this.#ids,
      includes: [...this.#includes],
      names: this.#names.finish(),
      results: this.#results.finish(),
      trials: this.#blocks.finish(),
      transcripts: this.#includes.size === 0 ? null : this.#transcripts.finish(),
    };
  }

  /** The JSON of the measurements of a case, whose messages and transcripts are packed by themselves. */
  #split({ messages, transcripts, ...measured }: CaseDocument): string {
    if (messages !== undefined) this.#includes.add("messages");
    if (transcripts !== undefined) this.#includes.add("transcripts");
    if (messages !== undefined || transcripts !== undefined) {
      const document = compressText(JSON.stringify({ messages, transcripts })).toString("base64");
      this.#transcripts.add({ id: measured.id, document });
    }
    return JSON.stringify(measured);
  }
}

const ofSkipped = {
  passes: 0,
  counted: 0,
  mixed: false,
  latency: null,
  cost: null,
  code: null,
  agent: null,
  check: null,
};

function resultOf(one: CaseDocument) {
  if (one.status === "skipped") return { status: one.status, ...ofSkipped };
  const { status, passes, counted, mixed, error } = one;
  return {
    status,
    passes,
    counted,
    mixed,
    latency: one.latencyMs,
    cost: one.costUsd,
    code: error?.code ?? null,
    agent: one.agentHash,
    check: one.checkHash,
  };
}

/**
 * Cases that are compressed together: what differs between them is little. More would make reading a single one slow.
 */
const mostBlockCharacters = 128 * 1_024;

/** Packs the JSON of cases into blocks. */
class BlockPacker {
  readonly #done = new Columns(trialColumns);
  #texts: string[] = [];
  #size = 0;
  #place = 1;

  add(text: string): void {
    if (this.#size + text.length > mostBlockCharacters) this.#close();
    this.#texts.push(text);
    this.#size += text.length;
  }

  finish(): string[] {
    this.#close();
    return this.#done.finish();
  }

  #close(): void {
    const { length } = this.#texts;
    if (length === 0) return;
    const document = compressText(`[${this.#texts.join(",")}]`).toString("base64");
    this.#done.add({ place: this.#place, cases: length, document });
    this.#place += length;
    [this.#texts, this.#size] = [[], 0];
  }
}

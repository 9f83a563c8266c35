import * as z from "../values/deferred-zod.js";
import { failure, success, type Result } from "../result.js";
import { isRecord } from "../values/json.js";
import {
  cassetteVersion,
  keyOf,
  type CallLine,
  type CassetteContent,
  type CassetteHeader,
  type Entry,
  type ExchangeLine,
  type RequestLine,
  type ToolListLine,
} from "./cassette-lines.js";
import { fileRoom, isJsonLimit, parseJson } from "../values/parse-json.js";

/** What is wrong with a file, and on which line, from 1. */
export interface CassetteProblem {
  line: number;
  reason: string;
}

export type CassetteLine =
  | { kind: "header"; line: number; value: CassetteHeader }
  | { kind: "tools"; line: number; value: ToolListLine }
  | { kind: "request"; line: number; value: RequestLine }
  | { kind: "entry"; line: number; value: Entry };

function makeShapes() {
  const place = { case: z.string(), trial: z.int().min(1), n: z.int().min(1), ms: z.number() };
  const pieces = z.array(z.tuple([z.number(), z.string()]));
  return {
    header: z.looseObject({ kindlm: z.literal("cassette"), version: z.int(), suite: z.string(), test: z.string() }),
    tools: z.looseObject({
      tools: z.string(),
      list: z.array(
        z.looseObject({
          name: z.string(),
          parameters: z.record(z.string(), z.unknown()),
          attributes: z.looseObject({ readonly: z.boolean(), no_effect: z.boolean() }),
        }),
      ),
    }),
    request: z.looseObject({ request: z.string(), body: z.unknown() }),
    exchange: z.looseObject({
      ...place,
      exchange: z.string(),
      turn: z.int(),
      attempt: z.int(),
      status: z.int().optional(),
      headers: z.record(z.string(), z.string()).optional(),
      text: z.string().optional(),
      pieces: pieces.optional(),
      bytes: pieces.optional(),
      failure: z.looseObject({ kind: z.enum(["timeout", "network", "unreadable", "unsendable"]) }).optional(),
    }),
    call: z.looseObject({
      ...place,
      call: z.string(),
      tool: z.string(),
      failure: z.looseObject({ errorType: z.string(), message: z.string() }).optional(),
      events: z.array(z.looseObject({ name: z.string() })).optional(),
    }),
  };
}

let made: ReturnType<typeof makeShapes> | null = null;

interface LineTypes {
  header: CassetteHeader;
  tools: ToolListLine;
  request: RequestLine;
  exchange: ExchangeLine;
  call: CallLine;
}

/** The value itself is used, not what zod returns: exact integers are noted by their object. */
function isLine<Kind extends keyof LineTypes>(kind: Kind, value: unknown): value is LineTypes[Kind] {
  return (made ??= makeShapes())[kind].safeParse(value).success;
}

/** The lines of a file, each read; blank ones are skipped, so CRLF and merges do no harm. */
export function parseCassetteLines(text: string): Result<readonly CassetteLine[], CassetteProblem> {
  const lines: CassetteLine[] = [];
  for (const [index, written] of text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .entries()) {
    if (written.trim() === "") continue;
    const line = index + 1;
    const parsed = parseJson(written, fileRoom);
    if (!parsed.success) return failure({ line, reason: whyUnparseable(written, parsed.error) });
    const read = readLine(parsed.data, line, lines.length === 0);
    if (!read.success) return failure({ line, reason: read.error });
    lines.push(read.data);
  }
  return lines.length === 0 ? failure({ line: 1, reason: "is missing: the file is empty" }) : success(lines);
}

function whyUnparseable(written: string, reason: string): string {
  if (mergeMark.test(written)) return "is a merge conflict marker";
  return isJsonLimit(reason) ? `is ${reason}` : "is not JSON";
}

/** A whole file. Of several recordings of one place, as merges leave them, the last one counts. */
export function parseCassette(text: string): Result<CassetteContent, CassetteProblem> {
  const lines = parseCassetteLines(text);
  if (!lines.success) return lines;
  const [first] = lines.data;
  if (first?.kind !== "header") return failure({ line: 1, reason: "is not a header of a cassette" });
  const content: CassetteContent = { header: first.value, lists: new Map(), requests: new Map(), cases: new Map() };
  for (const { kind, value } of lines.data) {
    if (kind === "tools") content.lists.set(value.tools, value.list);
    else if (kind === "request") content.requests.set(value.request, value);
    else if (kind === "entry") addEntry(content, value);
  }
  for (const { kind, line, value } of lines.data) {
    if (kind !== "entry" || !("exchange" in value) || content.requests.has(value.exchange)) continue;
    return failure({ line, reason: `belongs to the request ${value.exchange}, which is not in the file` });
  }
  return success(content);
}

const mergeMark = /^(?:<{7}|={7}|>{7}|\|{7})/;

function addEntry({ cases }: CassetteContent, entry: Entry): void {
  let trials = cases.get(entry.case);
  if (trials === undefined) cases.set(entry.case, (trials = new Map<number, Entry[]>()));
  const entries = trials.get(entry.trial) ?? [];
  trials.set(entry.trial, entries);
  const known = entries.findIndex((other) => keyOf(other) === keyOf(entry) && other.n === entry.n);
  if (known === -1) entries.push(entry);
  else entries[known] = entry;
}

function readLine(value: unknown, line: number, isFirst: boolean): Result<CassetteLine, string> {
  if (!isRecord(value)) return failure("is not a JSON object");
  if (value["kindlm"] !== undefined || isFirst) {
    if (!isLine("header", value)) return failure("is not a header of a cassette");
    if (value.version === cassetteVersion) return success({ kind: "header", line, value });
    const verb = value.version > cassetteVersion ? "Update KindLM" : "Record it again";
    return failure(`has version ${value.version}, and this KindLM reads version ${cassetteVersion}. ${verb}`);
  }
  const kind = (["tools", "request", "exchange", "call"] as const).find((name) => typeof value[name] === "string");
  if (kind === undefined) return failure("has an unknown kind");
  if (kind === "tools" && isLine(kind, value)) return success({ kind, line, value });
  if (kind === "request" && isLine(kind, value)) return success({ kind, line, value });
  if (kind === "exchange" && isLine(kind, value)) return success({ kind: "entry", line, value });
  if (kind === "call" && isLine(kind, value)) return success({ kind: "entry", line, value });
  return failure(`lacks what "${kind}" has`);
}

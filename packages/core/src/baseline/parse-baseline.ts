import { failure, success, type Result } from "../result.js";
import { isRecord } from "../values/json.js";
import { readStored } from "../shape/read-stored.js";
import { sayFlaw, type Shape } from "../shape/shape.js";
import {
  baselineEntryShape,
  baselineHeaderShape,
  baselineVersion,
  type Baseline,
  type BaselineEntry,
} from "./baseline.js";
import { checksumOf } from "./checksum.js";
import { fileRoom, isJsonLimit, parseJson } from "../values/parse-json.js";

export type BaselineProblem =
  | { kind: "version"; found: number }
  | {
      kind: "corrupt";
      /** Goes on a sentence that begins with the name of the file. */
      reason: string;
      /** What to do about it; absent where there is nothing in particular. */
      hint?: string;
      /** The entries that are sound all the same. */
      sound: ReadonlyMap<string, BaselineEntry>;
    };

const nothing: ReadonlyMap<string, BaselineEntry> = new Map();
const wholeEntries = "Take each entry whole from one side or the other, or run: kindlm baseline set";

/** Reads the text of a baseline. Each part of it is checked by itself, so that parts of two files can be put together. */
export function parseBaseline(text: string): Result<Baseline, BaselineProblem> {
  if (text.trim() === "") return corrupt("is empty");
  const parsed = parseJson(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text, fileRoom);
  if (!parsed.success && isJsonLimit(parsed.error)) return corrupt(`is ${parsed.error}`);
  if (!parsed.success) return corrupt(...whyUnparseable(text, parsed.error));
  if (!isRecord(parsed.data)) return corrupt("is not a baseline");
  const { schemaVersion, header, cases } = parsed.data;
  if (typeof schemaVersion !== "number" || !Number.isInteger(schemaVersion) || schemaVersion < 1) {
    return corrupt("does not say what version it is");
  }
  if (schemaVersion !== baselineVersion) return failure({ kind: "version", found: schemaVersion });
  if (!Array.isArray(cases)) return corrupt("has no list of cases");
  const read = readEntries(cases);
  const first = readPart(baselineHeaderShape, header);
  if (!first.success) return corrupt(`has a header whose ${first.error}`, takeHeader, read.entries);
  if (read.problem !== null) return corrupt(read.problem, wholeEntries, read.entries);
  return success({ header: first.data.part, entries: read.entries });
}

const takeHeader = "Take the header whole from one side or the other, or run: kindlm baseline set";

function corrupt(reason: string, hint?: string, sound = nothing): Result<never, BaselineProblem> {
  return failure(hint === undefined ? { kind: "corrupt", reason, sound } : { kind: "corrupt", reason, hint, sound });
}

/** What a merge leaves behind is worth another hint than any other damage. */
function whyUnparseable(text: string, message: string): readonly [reason: string, hint?: string] {
  const lines = text.split(/\r?\n/);
  const conflict = lines.findIndex((line) => /^(?:<{7}|={7}|>{7}|\|{7})(?:\s|$)/.test(line));
  if (conflict === -1) return [`is not JSON: ${message.split("\n")[0] ?? ""}`];
  const hint = "Resolve the conflict: keep one header, and one whole entry for each case";
  return [`holds a merge conflict that is not resolved, at line ${conflict + 1}`, hint];
}

function readEntries(cases: readonly unknown[]): {
  entries: ReadonlyMap<string, BaselineEntry>;
  problem: string | null;
} {
  const entries = new Map<string, BaselineEntry>();
  const checksums = new Map<string, unknown>();
  const problems: string[] = [];
  cases.forEach((one: unknown, index) => {
    const read = readPart(baselineEntryShape, one);
    if (!read.success) {
      problems.push(`has an entry whose ${read.error}: ${nameOf(one, index)}`);
      return;
    }
    const { checksum, part } = read.data;
    if (checksums.has(part.caseId) && checksums.get(part.caseId) !== checksum) {
      problems.push(`has two entries of ${part.caseId}`);
    } else {
      checksums.set(part.caseId, checksum);
      entries.set(part.caseId, part);
    }
  });
  const [first] = problems;
  if (first === undefined) return { entries, problem: null };
  return { entries, problem: problems.length === 1 ? first : `${first}, and ${problems.length - 1} more like it` };
}

function nameOf(entry: unknown, index: number): string {
  return isRecord(entry) && typeof entry["caseId"] === "string" ? entry["caseId"] : `the ${index + 1}. case`;
}

/** A part of the file without its checksum; the failure goes on a sentence that ends with "whose". */
function readPart<T>(shape: Shape<T>, stored: unknown): Result<{ part: T; checksum: unknown }, string> {
  if (!isRecord(stored) || stored["checksum"] !== checksumOf(stored)) return failure("checksum is wrong");
  const { checksum, ...part } = stored;
  const read = readStored(shape, part);
  return read.success ? success({ part: read.data, checksum }) : failure(sayFlaw(read.error));
}

import { attempt } from "../errors/boundary.js";
import type { Diagnostic } from "../errors/error-table.js";
import type { PlacedLine } from "../files/read-lines.js";
import type { TranscriptFact } from "../gates/define-gate.js";
import { decodeRecord, type LineFlaw } from "../journal/decode-record.js";
import { failure, success, type Result } from "../result.js";
import { sayFlaw } from "../shape/shape.js";
import { createLineProblems, type LineProblems } from "../transcript-import/create-line-problems.js";
import type { LineProblem } from "../transcript-import/line-problem.js";
import { plural } from "../values/plural.js";
import { createFoundTrials, type FoundTrials } from "./found-trials.js";
import type { KnownTests } from "./known-tests.js";
import { createJournalTrials } from "./journal-trials.js";
import { unreadable, type TranscriptSource } from "./transcript-source.js";

/** What files of transcripts hold, and which case each conversation is of. */
export interface TranscriptIndex {
  found: FoundTrials;
  /** Agents in addition to those of the config, by `suite/test`. */
  agents: ReadonlyMap<string, ReadonlySet<string>>;
  /** Conversations that are scored, and those of tests that are left out now. */
  taken: number;
  left: number;
  /** How many transcripts do not contain their cost, their latency, and their rejected answers. */
  untold: Record<TranscriptFact, number>;
  warnings: readonly Diagnostic[];
}

interface Reading {
  found: FoundTrials;
  agents: Map<string, Set<string>>;
  known: KnownTests;
  problems: LineProblems;
  taken: number;
  left: number;
  untold: TranscriptIndex["untold"];
  warnings: Diagnostic[];
}

/**
 * Goes through all lines once. Fails with TRANSCRIPT_INVALID if a line cannot be used, and lists all such lines.
 * `isPlanned`: whether the plan has a case of this id.
 */
export async function indexTranscripts(
  sources: readonly TranscriptSource[],
  known: KnownTests,
  isPlanned: (caseId: string) => boolean,
): Promise<Result<TranscriptIndex>> {
  const reading: Reading = {
    found: createFoundTrials(),
    agents: new Map(),
    known,
    problems: createLineProblems(
      "transcripts",
      sources.map(({ shown }) => shown),
    ),
    taken: 0,
    left: 0,
    untold: { cost: 0, latency: 0, rejections: 0 },
    warnings: [],
  };
  for (const source of sources) {
    // The order of the files is that of the trials.
    const read = await attempt(
      () => readSource(source, reading, isPlanned),
      (cause) => unreadable(source.shown, cause),
    );
    if (!read.success) return read;
  }
  const { problems, known: _known, ...index } = reading;
  const error = problems.error();
  return error === null ? success(index) : failure(error);
}

async function readSource(
  source: TranscriptSource,
  reading: Reading,
  isPlanned: (caseId: string) => boolean,
): Promise<void> {
  let number = 0;
  let journal: ReturnType<typeof createJournalTrials> | null = null;
  for await (const placed of source.lines()) {
    number += 1;
    const line = withoutMark(placed, number);
    if (line.trim() === "") continue;
    if (number === 1 && isJournal(line)) journal = createJournalTrials(source);
    if (!reading.problems.add(source.shown, number, problemsOf(source, { ...placed, line }, reading, journal))) return;
  }
  reading.warnings.push(...(source.warnings ?? []));
  if (journal === null) return;
  const { unknown, count } = journal.moveTo(reading.found, isPlanned);
  reading.taken += count;
  if (unknown.length === 0) return;
  const message = `${source.shown} has trials of ${plural(unknown.length, "case")} that are not in the config, such as ${unknown[0]}`;
  reading.warnings.push({ code: "TRANSCRIPT_INVALID", severity: "warning", message });
}

function problemsOf(
  source: TranscriptSource,
  placed: PlacedLine,
  reading: Reading,
  journal: ReturnType<typeof createJournalTrials> | null,
): readonly LineProblem[] {
  if (journal === null) return addLine(source, placed, reading);
  // What stands behind the last line feed of a journal was torn off.
  if (!placed.isWhole) return [];
  const decoded = decodeRecord(placed.line);
  if (!decoded.success) return [{ message: sayLineFlaw(decoded.error) }];
  journal.add(decoded.data, placed.place, placed.line);
  return [];
}

/** Also a journal of another version, so that it is not taken for a transcript. */
function isJournal(line: string): boolean {
  const decoded = decodeRecord(line);
  return decoded.success ? decoded.data.kind === "run" : decoded.error.kind === "version";
}

function sayLineFlaw(flaw: LineFlaw): string {
  switch (flaw.kind) {
    case "unparseable":
      return "The line is not a record of a journal";
    case "flawed":
      return `The line is not a record of a journal: ${sayFlaw(flaw.flaw)}`;
    case "version":
      return `The journal was written by another version of KindLM (${flaw.writtenBy})`;
  }
}

function addLine(source: TranscriptSource, { line, place }: PlacedLine, reading: Reading): readonly LineProblem[] {
  const parsed = source.parse(line);
  if (!parsed.success) return parsed.error;
  const { address, told } = parsed.data;
  const found = reading.known.find(address);
  if (!found.success) return [found.error];
  if (found.data === null) {
    reading.left += 1;
    return [];
  }
  const { caseId, testKey, agent } = found.data;
  reading.taken += 1;
  if ((told.costUsd ?? null) === null) reading.untold.cost += 1;
  if (told.latencyMs === undefined) reading.untold.latency += 1;
  reading.untold.rejections += 1;
  reading.found.add(caseId, { source, place, record: null });
  const agents = reading.agents.get(testKey) ?? new Set();
  reading.agents.set(testKey, agents.add(agent));
  return [];
}

/** A file of Windows begins with a mark of its encoding. */
function withoutMark({ line }: PlacedLine, number: number): string {
  return number === 1 && line.startsWith("\uFEFF") ? line.slice(1) : line;
}

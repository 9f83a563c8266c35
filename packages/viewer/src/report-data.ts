import type { ComparedSuite, GateResult, VariantDifference } from "@kindlm/core";

/**
 * The data of a report: what the page shows, and what embeds or serves it hands over. Everything in it is final: text is
 * masked, numbers are those of the run, and the page decides nothing about verdicts. Text is text, never markup.
 *
 * The index has what lists, filters and charts need; the trials come in chunks, which are read when a case opens.
 */
export const reportFormatVersion = 1;

/** Where the page takes its data from: the file that embeds it, or a server. */
export interface ReportSource {
  /** The `ReportIndex` as JSON. */
  readIndex(): Promise<string>;
  /**
   * The chunk of this number, from 0: JSON Lines, one `ReportDetail` per case in the order of the index. It stays text,
   * so that a case is parsed when it opens, and a search reads no more than text.
   */
  readChunk(number: number): Promise<string>;
}

export type ReportStatus = "passed" | "failed" | "errored" | "skipped";

export interface ReportIndex {
  formatVersion: typeof reportFormatVersion;
  head: ReportHead;
  /** Confusion tables: the headings, then a row for each expected tool. Absent if there is none. */
  tables?: readonly { title: string; rows: readonly (readonly string[])[] }[];
  suites: readonly ReportSuite[];
  /** In the order of the config. A prompt makes its own variant: `model#prompt`. */
  models: readonly ReportModel[];
  /** Pairs of models, those of one run only. */
  differences: readonly VariantDifference[];
  tags: readonly string[];
  /** Most cases first; the number of a kind is its place from 1, as `kindlm show 1` has it. */
  kinds: readonly ReportKind[];
  /** Of errors, in the same way. */
  causes: readonly ReportCause[];
  gates: readonly GateResult[];
  /** The baseline first, then other runs. */
  comparisons: readonly ReportComparison[];
  providers: readonly ReportProvider[];
  cases: readonly ReportCase[];
  /** Cases in a chunk. */
  chunkSize: number;
}

export interface ReportHead {
  kindlm: string;
  /** What to type for KindLM, such as `npx kindlm`. */
  program: string;
  runId: string;
  project: string | null;
  startedAt: string;
  durationMs: number;
  verdict: "passed" | "failed";
  exitCode: 0 | 1;
  /** Why the verdict is `failed`, one sentence each. */
  reasons: readonly string[];
  isInterrupted: boolean;
  seed: number;
  git: { commit: string; branch: string | null; dirty: boolean } | null;
  /** Cases by status. */
  counts: Readonly<Record<ReportStatus, number>>;
  passRate: number | null;
  /** 95% interval of `passRate`. */
  interval: readonly [number, number] | null;
  costUsd: number | null;
  usage: { inputTokens: number; outputTokens: number };
  latencyMs: { p50: number; p95: number } | null;
  requests: number;
  retries: number;
  /** What else a reader must know: transcripts that were left out, recordings that answered, part of a run. One sentence each. */
  notes: readonly string[];
  /** In place of transcripts that are not there. Absent in a file, which leaves them out to stay small. */
  noTranscript?: string;
  warnings: readonly { message: string; hint: string | null; position: string | null }[];
}

export interface ReportSuite {
  name: string;
  counts: Readonly<Record<ReportStatus, number>>;
  passRate: number | null;
  interval: readonly [number, number] | null;
  costUsd: number | null;
  latencyMs: { p50: number; p95: number } | null;
  /** Why it was not run; null if it was. */
  error: string | null;
}

export interface ReportModel {
  name: string;
  cases: number;
  passed: number;
  errored: number;
  /** Mean of the rates of its cases; null when none counts. */
  rate: number | null;
  /** 95% interval of `rate`. */
  interval: readonly [number, number] | null;
  costUsd: number | null;
  /** Mean over the cases. */
  latencyMs: number;
}

/** A kind of failure, as the terminal numbers it. */
export interface ReportKind {
  title: string;
  /** Such as `tool_called, user turn 2 · kindlm.yaml:94`. */
  where: string;
  cases: number;
}

export interface ReportCause {
  title: string;
  /** What to do; null where that is not known. */
  fix: string | null;
  cases: number;
}

export interface ReportCase {
  /** `suite/test[row]@model#prompt+fault` */
  id: string;
  /** Places in the lists of the index. */
  suite: number;
  model: number;
  tags: readonly number[];
  test: string;
  status: ReportStatus;
  passes: number;
  /** Passes that it needed. */
  required: number;
  /** Trials that count. */
  counted: number;
  /** How each trial ended, in their order, a letter each: `p`, `f` or `e`. */
  trials: string;
  /** The trial to open first, by its number; 0 if there is none. */
  shownTrial: number;
  latencyMs: number;
  costUsd: number | null;
  /** Such as `kindlm.yaml:94`; null where that is not known. */
  position: string | null;
  /** Number of its kind, or of its cause; absent where it has none. */
  kind?: number;
  cause?: number;
  /** It passed, but not every time. */
  isFlaky?: true;
  isCritical?: true;
  /** Why its failure does not count, or why it was skipped. */
  reason?: string;
  change?: "regressed" | "improved";
}

/** Another run, or the baseline, next to this one. */
export interface ReportComparison {
  by: "baseline" | "run";
  /** Such as `2026-11-20 09:30, commit 0123456`, or the id of the run. */
  name: string;
  verdict: "ok" | "regressed" | "inconclusive" | null;
  /** By its baselines only: what the statistics say of each suite. */
  suites: readonly ComparedSuite[];
  cases: readonly ComparedReportCase[];
}

/** A case of the other side, and what changed in it. */
export interface ComparedReportCase {
  id: string;
  /** Place of the case in this run; null where this run does not have it. */
  case: number | null;
  passes: number;
  counted: number;
  costUsd: number | null;
  latencyMs: number | null;
  /** Why the sides cannot be compared, such as another check. */
  reason?: string;
  /** The tools that were called, with their arguments; absent where they are the same, or not known. */
  calls?: { before: readonly string[]; after: readonly string[] };
}

export interface ReportProvider {
  name: string;
  requests: number;
  errors: number;
  rateLimits: number;
  /** What it did over time; null if recordings answered. */
  activity: ReportActivity | null;
}

/** Each number is the mean of a step of time. All providers of a run have the same steps. */
export interface ReportActivity {
  stepMs: number;
  /** Requests that were not answered yet. */
  inFlight: readonly number[];
  /** Requests that waited; without the reasons that nothing waited for. */
  waits: readonly { reason: "rate limit" | "retry" | "queue"; waiting: readonly number[] }[];
  /** Per step, requests that were rejected since the circuit was open; empty if there were none. */
  rejected: readonly number[];
  /** Breaks between the sessions of the run, which the steps leave out. */
  breaksMs: number;
}

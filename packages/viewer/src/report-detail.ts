import type { ConversationEnd, Message } from "@kindlm/core";

/** A line of a chunk. */
export interface ReportDetail {
  /** The command that runs this case alone. */
  command: string;
  trials: readonly ReportTrial[];
}

export interface ReportTrial {
  trial: number;
  status: "passed" | "failed" | "errored";
  /** Of `--confirm`: not part of the result of its case. */
  isConfirmation?: true;
  error: { code: string; message: string; fix: string | null } | null;
  latencyMs: number;
  durationMs: number;
  costUsd: number | null;
  usage: { inputTokens: number; outputTokens: number };
  attempts: number;
  /** The model that answered last, as its provider names it. */
  servedBy: string | null;
  /** The programs that asked the model, with their versions. */
  askedBy?: string;
  finishReason: string | null;
  stoppedBy?: ConversationEnd;
  assertions: readonly ReportAssertion[];
  /** Where the time went, in order. */
  spans: readonly ReportSpan[];
  /** The files that the agent changed; absent if there is nothing to tell. */
  files?: ReportFiles;
  /** The transcript. Null if it was left out to keep the report small. */
  rows: readonly ReportRow[] | null;
  /** The conversation as the model had it, for labels and the raw view; empty with `rows` left out. */
  messages: readonly Message[];
}

export interface ReportFiles {
  changes: readonly ReportFile[];
  /** Such as where the folder is; the refused ones first. */
  remarks: readonly string[];
}

export interface ReportFile {
  path: string;
  change: "added" | "changed" | "deleted";
  /** Such as `+3 −1` or `binary`. */
  size: string;
  /** Lines of a unified diff; absent if there is none, or it was left out with the transcript. */
  diff?: string;
}

export interface ReportAssertion {
  type: string;
  id?: string;
  userTurn?: number;
  pass: boolean;
  isSkipped?: true;
  score: number;
  message: string;
  judge?: ReportJudge;
  parts?: readonly ReportAssertion[];
}

/** Hidden until a person has labelled the trial. */
export interface ReportJudge {
  /** The rubric; null where it is not known. */
  criteria: string | null;
  threshold: number;
  votes: readonly {
    model: string;
    score: number;
    pass: boolean;
    reasoning: string;
    items?: readonly { item: string; score: number }[];
  }[];
}

export interface ReportSpan {
  kind: "model" | "tool" | "wait" | "judge" | "user";
  /** Such as `gpt`, `lookup_order`, `retry after 429`. */
  name: string;
  startMs: number;
  durationMs: number;
  isTrouble?: true;
}

/** Whose line it is, as the terminal has it. */
export type ReportSpeaker = "user" | "agent" | "tool" | "fault" | "retry" | "kindlm";

export interface ReportRow {
  by: ReportSpeaker;
  /** Which agent it is, if there are several. */
  name?: string;
  /** What was said; a call or a result that is not an object also has its text here. */
  text?: string;
  /** Such as `2nd call`, `simulated`, `nudge`, `waited 2 s`, `try 1 rejected`. */
  note?: string;
  isTrouble?: true;
  /** Since the trial began; absent where it is not known. */
  atMs?: number;
  /** The agent called this tool. */
  tool?: string;
  /** The arguments of a call, or the fields of a result, which are an object. */
  fields?: readonly ReportField[];
  /** The sub-agents down to the one whose conversation it belongs to; absent for the agent under test. */
  agents?: readonly string[];
  /** What the call changed in the state of the trial. */
  changes?: readonly { path: string; from?: string; to?: string }[];
}

/** One argument, as text that has been written as in the terminal. */
export interface ReportField {
  name: string;
  value: string;
  /** What an assertion expected where it rejected the value. */
  expected?: string;
}

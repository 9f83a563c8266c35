import type { AssertionResult } from "../assertions/assertion-result.js";
import type { SourcePosition } from "../errors/source-position.js";
import type { Diagnostic } from "../errors/error-table.js";
import type { KindlmError } from "../errors/kindlm-error.js";
import type { CaseSummary, SuiteSummary } from "../summary/case-summary.js";
import type { RunComparison } from "../summary/comparison-result.js";
import type { GateResult } from "../gates/gate-result.js";
import type { RunTotals } from "../summary/run-totals.js";
import type { TrialTries } from "./retry-until/trial-tries.js";
import type { AgentParts } from "../plan/identity/agent-parts.js";
import type { ShardInfo } from "../plan/shard/shard-info.js";
import type { FaultReport } from "../tools/faults/fault-report.js";
import type { SimulatedUserRecord } from "../transcript/simulated-user.js";
import type { JudgingRecord } from "../transcript/judging.js";
import type { Message } from "../transcript/message.js";
import type { TrialToolCall } from "../transcript/trial.js";
import type { Nudge } from "../transcript/nudge.js";
import type { TurnRecord } from "../transcript/turn.js";
import type { Usage } from "../transcript/usage.js";

interface TrialParts {
  caseId: string;
  /** From 1 within the case. */
  trial: number;
  /** The final answer, or what there was of it. */
  output: string;
  /** Time spent waiting for the provider. */
  latencyMs: number;
  durationMs: number;
  costUsd: number | null;
  usage: Usage;
  /** HTTP requests, retries included. */
  attempts: number;
  /** Requests whose price is unknown. */
  unpricedRequests: number;
  servedBy: string | null;
  /** ID of the fallback that answered for the model under test at least once; null if none did. */
  fallback: string | null;
  finishReason: string | null;
  turns: readonly TurnRecord[];
  toolCalls: readonly TrialToolCall[];
  messages: readonly Message[];
  assertions: readonly AssertionResult[];
  /** What became of each fault; absent when the case has none. */
  faults?: readonly FaultReport[];
  /** What the simulated user did; absent when the user's messages are all written. Its cost is part of `costUsd`. */
  simulatedUser?: SimulatedUserRecord;
  /** What asking judges and other models about it took; absent when none was asked. Its cost is part of `costUsd`. */
  judging?: JudgingRecord;
  /** Absent when the case has no `retry_until`. */
  tries?: TrialTries;
  /** Messages that told the agent to go on after a tool error; absent when there was none. */
  nudges?: readonly Nudge[];
  /** The conversation was held elsewhere: what its transcript did not tell is zero, empty or null here. */
  recorded?: true;
  /** A confirmation trial of `--confirm`, so not part of the result of its case. */
  fresh?: true;
}

/** A finished trial, transcript included. A union on `status`, so that an errored one has its error. */
export type TrialResult =
  | (TrialParts & { status: "passed"; error: null })
  | (TrialParts & { status: "failed"; error: null })
  | (TrialParts & { status: "errored"; error: KindlmError });

interface CaseParts {
  /** `suite/test[row]@model#prompt+fault` */
  id: string;
  suite: string;
  name: string;
  model: string;
  row: string | null;
  prompt: string | null;
  /** The fault that has this case for itself; null in the clean case, and where faults share one. */
  fault: string | null;
  tags: readonly string[];
  critical: boolean;
  /** The reason why its failure does not count; null when it does. */
  allowFailure: string | null;
  /** The cluster that the config puts it in; absent for the cluster of its test and row. */
  group?: string;
  position: SourcePosition | null;
}

/** How the fresh trials of a suspect ended. */
export interface ConfirmationTrials {
  passes: number;
  /** Trials that count. */
  trials: number;
  /** Whether it has the passes that it needs among them. */
  isPassed: boolean;
}

interface RanParts {
  /** Some trials passed and some did not. */
  mixed: boolean;
  passes: number;
  required: number;
  /** Trials asked for. */
  runs: number;
  /** Trials that count: not errored from outside. */
  counted: number;
  /** Wilson 95% interval of passes ÷ counted; null when none counts. */
  interval: readonly [number, number] | null;
  /** Mean over the trials. */
  latencyMs: number;
  /** Sum over the trials; null when a price is unknown. */
  costUsd: number | null;
  /** Number of the trial that shows best why: the first failed, else the first errored, else the last; 0 for none. */
  decisiveTrial: number;
  /** ID of a fallback that answered for the model under test in any trial; null if none did. */
  fallback: string | null;
  /** The model that answered, as its provider names it; several with commas. Null where none is known. */
  servedBy?: string | null;
  /** What the agent is, see `CaseIdentity`. */
  agentHash: string;
  /** What it was put through and judged by: only results of one check can be compared. */
  checkHash: string;
  /** The results of the confirmation trials of `--confirm`, for a case that seemed worse than its baseline. */
  fresh?: ConfirmationTrials;
  /**
   * Set where `early_end` might leave out trials: true when it did. Which trials there are then depends on how they
   * ended, so that the case has no unbiased rate either way.
   */
  endedEarly?: boolean;
  /** Trials that ran; set where `endedEarly` is. */
  trialsRun?: number;
  /** Set where the same agent does the same again, so that no chance is in the result. */
  deterministic?: true;
  /** Trials that passed without a rejected answer; absent when the case has no `retry_until`. */
  firstTryPasses?: number;
  /** Over all trials; absent when no agent was nudged. */
  nudges?: { count: number; trials: number };
  /** Tool calls that a fallback answered, over all trials; absent when there was none. */
  toolFallbacks?: number;
}

/**
 * The verdict of one case. Compact: the conversation and the findings are in its trials. A union on `status`: no errored one
 * without its error, no skipped one without a reason.
 */
export type TestResult =
  | (CaseParts & RanParts & { status: "passed"; error: null })
  | (CaseParts & RanParts & { status: "failed"; error: null })
  | (CaseParts & RanParts & { status: "errored"; error: KindlmError })
  | (CaseParts & { status: "skipped"; reason: string });

interface SuiteParts {
  name: string;
  file: string;
  /** As `PlannedSuite` has them; absent unless the run is a shard. */
  places?: readonly number[];
  tests: readonly TestResult[];
}

export type SuiteResult =
  | (SuiteParts & { status: "run" })
  | (SuiteParts & { status: "skipped"; error: KindlmError; diagnostics: readonly Diagnostic[] });

export interface RunSummary extends CaseSummary, RunTotals {}

/** Where the conversations of a run come from that were not held in it. */
export type ScoredSource =
  /** Files as the user typed them; `-` for a stream. */
  | { from: "transcripts"; files: readonly string[] }
  /** Id of the run. */
  | { from: "run"; run: string };

export interface RunInfo {
  id: string;
  /** ISO 8601. */
  startedAt: string;
  endedAt: string;
  durationMs: number;
  seed: number;
  interrupted: boolean;
  /** How often it went on after it had been ended; absent when it never was. */
  resumed?: number;
  /** Set when no model under test was asked: the conversations were there before. */
  scored?: ScoredSource;
  /** True where recordings alone answered: the run is deterministic, and its latencies are those of the recordings. */
  replayed?: true;
  project: string | null;
  git: { commit: string; branch: string | null; dirty: boolean } | null;
  /** Which part of a run this is; absent for a whole one. */
  shard?: ShardInfo;
}

/** Everything a run found out. Compact: transcripts come through `trials`. */
export interface RunResult {
  /** KindLM's version. */
  kindlm: string;
  verdict: "passed" | "failed";
  exitCode: 0 | 1;
  /** Why the verdict is `failed`, one sentence each; empty when it passed. */
  reasons: readonly string[];
  run: RunInfo;
  summary: RunSummary;
  gates: readonly GateResult[];
  /** How it stands against the baselines of its suites; absent when none of them has one, or nobody wants to know. */
  comparison?: RunComparison;
  /** What each agent was made of, by its `agentHash`. */
  agents?: Readonly<Record<string, AgentParts>>;
  suites: readonly SuiteResult[];
  /** The counts, rates and sums of each suite, in the order of `suites`. */
  suiteSummaries: readonly SuiteSummary[];
  warnings: readonly Diagnostic[];
  /** The finished trials of a case in their order, or of the whole run in the order of its cases. */
  trials(caseId?: string): AsyncIterable<TrialResult>;
}

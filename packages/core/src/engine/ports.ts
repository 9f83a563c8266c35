import type { KindlmError } from "../errors/kindlm-error.js";
import type { ResolvedModel } from "../config/resolved-model.js";
import type { UserModules } from "../modules/user-modules.js";
import type { ProviderPorts } from "../providers/define-provider.js";
import type { HttpTransport } from "../providers/http/transport.js";
import type { ProviderAdapter } from "../providers/provider.js";
import type { ProcessRunner } from "../processes/process-runner.js";
import type { IdentifyCase } from "../plan/identity/case-identity.js";
import type { PlannedCase, RenderedCase } from "../plan/run-plan.js";
import type { Result } from "../result.js";
import type { Clock } from "../values/clock.js";
import type { RunnableTool } from "../tools/tool-config.js";
import type { ToolHooks } from "../tools/tool-hooks.js";
import type { ToolLists } from "../tools/tool-lists.js";
import type { Trial } from "../transcript/trial.js";
import type { EmitEvent } from "./create-event-stream.js";
import type { TrialRef } from "./run-event.js";
import type { SuiteResult, TrialResult } from "./run-result.js";

/**
 * Whether a trial was run, only its assertions were evaluated again, or all of it is that of another run, or of a replay
 * before this run.
 */
export type TrialOrigin = "run" | "rescore" | "carried" | "replayed";

/** Keeps finished trials, transcripts included. A trial counts as finished when `append` resolves. */
export interface TrialStore {
  append(trial: TrialResult, planned: PlannedCase, origin: TrialOrigin): Promise<Result<void>> | Result<void>;
  /** Resolves when every `append` has. */
  flush(): Promise<void>;
  /** The trials of one case, in their order. */
  read(caseId: string): AsyncIterable<TrialResult>;
}

/** A trial that an earlier session of the run finished. */
export interface EarlierTrial {
  trial: TrialResult;
  /** False when its assertions have changed since, so that they have to be evaluated again. */
  isScored: boolean;
  /** True if it is to be stored again as it is: it would be run again, but not now. */
  stands?: boolean;
}

/** A trial that was not run in this run, and is read when its turn comes: a case may have very many of them. */
export interface RecordedTrial {
  isScored: false;
  read(rendered: RenderedCase): Result<ReadTrial>;
}

export interface ReadTrial {
  trial: TrialResult;
  /** What its assertions see of it; null if `trial` shows that. */
  seen: Trial | null;
  /** Its verdict stands, and it is only to be stored. */
  stands: boolean;
  /** Where it comes from with everything in it, if it stands; such a trial neither starts nor ends here. */
  carriedFrom?: "run" | "replay";
}

/** What the earlier sessions of a run left behind, or what is scored in place of trials that are run. */
export interface EarlierTrials {
  /** The trial, if it need not be run again; the store has it already where it is scored. */
  take(planned: PlannedCase, trial: number): EarlierTrial | RecordedTrial | null;
  /** US dollars, as far as they are known. */
  readonly spentUsd: number;
  /** The finished trials that are no longer useful; their cost was spent all the same. */
  left(): Iterable<TrialResult>;
}

/** Sees to it that what the tools of a trial do to the world is done once, however often the run is cut off. */
export interface EffectGuard {
  guard(tools: readonly RunnableTool[], planned: PlannedCase, trial: number): GuardedTrial;
}

export interface GuardedTrial {
  tools: readonly RunnableTool[];
  /**
   * Why a trial that goes on after an interruption shows less than what happened: the agent did not make all the calls
   * that it had made before. Null if it did.
   */
  notRepeated(): KindlmError | null;
}

/** What a trial's own tools need of a cassette. */
export interface ToolTape {
  lists: ToolLists;
  /** The tools, with the results of their calls recorded or replayed; simulated ones stay unchanged. */
  wrap(tools: readonly RunnableTool[]): readonly RunnableTool[];
}

/** Records what the world answers, or answers in its place. HTTP exchanges with agents go through `EnginePorts.http`. */
export interface Cassette {
  /** True where recordings alone answer. */
  isReplay: boolean;
  openAdapter(model: ResolvedModel, ports: ProviderPorts): Result<ProviderAdapter>;
  /** `signal`: aborts when the trial is stopped. */
  toolTapeOf(planned: PlannedCase, trial: { trial: number; signal: AbortSignal }): ToolTape;
}

/** The saved answers of the baselines. */
export interface BaselineAnswers {
  /**
   * Null where no baseline was set, or it has no such case or not its answer. Fails with BASELINE_CORRUPT and
   * BASELINE_VERSION_MISMATCH.
   */
  answerOf(suite: string, caseId: string): Promise<Result<string | null>>;
}

/** A case that is worth more trials than it had. */
export interface RepeatedCase {
  caseId: string;
  /** How many more. */
  trials: number;
  /** How many it had beyond its own. */
  after: number;
}

/** What may still be run when all cases are decided. */
export interface ExtraTrials {
  /** `confirm`: suspects again, once. `further`: cases of open comparisons, in rounds. */
  kind: "confirm" | "further";
  /** The cases that are worth more trials, the most telling ones first. */
  next(suites: readonly SuiteResult[]): Promise<readonly RepeatedCase[]>;
}

/** Everything of the world that the engine touches. */
export interface EnginePorts {
  clock: Clock;
  http: HttpTransport;
  processes: ProcessRunner;
  /** Environment variables, `.env` files included. */
  env: Readonly<Record<string, string | undefined>>;
  /** The user's own modules. */
  modules: UserModules;
  trials: TrialStore;
  identify: IdentifyCase;
  /** Absent when the run begins. */
  earlier?: EarlierTrials;
  /** Absent when the run keeps no journal. */
  effects?: EffectGuard;
  emit: EmitEvent;
  /** Plugins that can change or block the tool calls of a trial; absent if there are none. */
  toolHooks?: ((trial: TrialRef, workspace: string | null) => ToolHooks) | null;
  /** Absent when nothing is recorded or replayed. */
  cassette?: Cassette | null;
  /** Absent where the run looks at no baseline. */
  baselineAnswers?: BaselineAnswers;
  /** Absent if there never are any. */
  extraTrials?: ExtraTrials;
}

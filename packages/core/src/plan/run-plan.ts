import type { GateConfig } from "../gates/registry.js";
import type {
  DatasetRow,
  Limits,
  PromptVariant,
  ReadySuite,
  ResolvedTest,
  Timeouts,
} from "../config/resolved-config.js";
import type { ResolvedModel } from "../config/resolved-model.js";
import type { ParsedAssertion } from "../assertions/parsed-assertion.js";
import type { Diagnostic } from "../errors/error-table.js";
import type { KindlmError } from "../errors/kindlm-error.js";
import type { Matcher } from "../matchers/matcher.js";
import type { ModelParams } from "../providers/provider.js";
import type { Result } from "../result.js";
import type { Shard } from "./run-options.js";
import type { FaultVariant } from "../tools/faults/fault.js";
import type { ComparisonRules } from "./comparison-rules.js";
import type { AgentTemplate } from "../tools/builtin/task/agents-config.js";
import type { ToolConfig } from "../tools/tool-config.js";
import type { Message, UserMessage } from "../transcript/message.js";
import type { JsonObject } from "../values/json.js";

/** A model that plays the user, with every placeholder filled in. */
export interface RenderedSimulatedUser {
  persona: string | null;
  goal: string;
  knows: readonly string[];
  maxTurns: number;
  /** Over the trial so far, as `when` reads it; null for none. */
  stop: Matcher | null;
}

/** How the answer to a user turn is approved, with every placeholder filled in but those of the feedback. */
export interface RenderedRetryUntil {
  assertions: readonly ParsedAssertion[];
  stopWhen: readonly ParsedAssertion[];
  description: string | null;
  maxTries: number;
  /** Still a template; null for the default text. */
  feedback: string | null;
  isStrict: boolean;
}

/** What one trial of a case needs, with every placeholder filled in. */
export interface RenderedCase {
  system: string | null;
  history: readonly Message[];
  /** Null: the agent goes on from the history. */
  userTurns: readonly (UserMessage | null)[];
  /** Goes on after `userTurns`; absent when they are all that the user says. */
  simulatedUser?: RenderedSimulatedUser;
  /** Per user turn; absent where no turn is tried again. */
  retries?: readonly (RenderedRetryUntil | null)[];
  assertions: readonly ParsedAssertion[];
  /** What is offered if one of them fails; absent if there is nothing. */
  offers?: ReadonlyMap<ParsedAssertion, string>;
  tools: readonly ToolConfig[];
  /** The sub-agents by the IDs of their templates; absent if the agent does not delegate. */
  agents?: ReadonlyMap<string, AgentTemplate>;
  /** What the strings of simulated tools may name besides `args`. */
  answerScope: Readonly<Record<string, unknown>>;
  /** Where the state of each trial begins; null when there is none. */
  state: JsonObject | null;
}

/** A model with what a test asks of it. */
export interface PlannedModel {
  model: ResolvedModel;
  params: ModelParams;
  timeouts: Timeouts;
}

/** A model, then its fallbacks. */
export type ModelChain = readonly [PlannedModel, ...PlannedModel[]];

/** A model that assertions ask. */
export interface AuxiliaryRoute {
  models: ModelChain;
  /** A `retry_until` asks it. */
  steers: boolean;
}

/** By the names that the assertions write; null is the name of the test's own. */
export type AuxiliaryRoutes = ReadonlyMap<string | null, AuxiliaryRoute>;

/** A test × one model × one dataset row × one prompt × one variant of faults, in one arm. */
export interface PlannedCase {
  /** `suite/test[row]@model#prompt+fault~arm` */
  id: string;
  /** The id without the arm: lots are drawn by it, so that all arms of a case have the same luck. Absent if there are none. */
  lotId?: string;
  /** Position in the run, from 0. */
  index: number;
  suite: string;
  test: ResolvedTest;
  /** What stands behind the @ of the id: the model, or the target that asks none of the config. */
  agentId: string;
  /** Null when the target asks no model of the config. */
  model: ResolvedModel | null;
  prompt: PromptVariant;
  row: DatasetRow | null;
  fault: FaultVariant;
  /** Trials to run, and how many of them must pass. */
  runs: number;
  required: number;
  /** How many trials it may have in all to decide its comparison with the baseline; absent if no more than `runs`. */
  maxRuns?: number;
  params: ModelParams;
  limits: Limits;
  timeouts: Timeouts;
  /** The models that may answer in place of `model`, in their order. */
  fallbacks: readonly PlannedModel[];
  /** The models of sub-agents; absent if the agent does not delegate. */
  delegates?: {
    /** By the IDs of the templates that name one. */
    models: ReadonlyMap<string, ModelChain>;
    /** One that an agent names. */
    plan(model: ResolvedModel): ModelChain;
  };
  /** The model that plays the user, then its fallbacks; null when the user's messages are written. */
  simulator: ModelChain | null;
  /** The judges that its assertions ask. */
  judges: AuxiliaryRoutes;
  /** The embedding models that its assertions ask. */
  embedders: AuxiliaryRoutes;
  /** Why it is not run; null when it is. */
  skip: string | null;
  /** Why no trial of it is run now, in a run that goes on; absent if trials that are missing are run. */
  leftOut?: string;
  /** Fills the placeholders. Costs time: call it once per case. */
  render(): Result<RenderedCase>;
}

/** A suite that cannot run; its cases are known by name only. */
export interface PlannedBrokenSuite {
  status: "broken";
  name: string;
  file: string;
  error: KindlmError;
  diagnostics: readonly Diagnostic[];
  /** As of a suite that is ready. */
  places?: readonly number[];
  cases: readonly {
    id: string;
    name: string;
    model: string;
    row: string | null;
    prompt: string | null;
    fault: string | null;
    arm: string | null;
    tags: readonly string[];
  }[];
}

export interface PlannedSuite {
  status: "ready";
  name: string;
  file: string;
  /** Cases after filtering. */
  caseCount: number;
  source: ReadySuite;
  /** The positions of its cases, from 0, among all cases of the suite in the whole run; absent unless the run is a shard. */
  places?: readonly number[];
}

/** What a plan is a part of. */
export interface PlanPart {
  shard: Shard;
  whole: RunPlan;
  /** Hash of the durations that it was cut by; null when there were none. */
  durationsHash: string | null;
}

/** Everything a run needs, flat; from here on nobody looks at the config. */
export interface RunPlan {
  project: string | null;
  files: readonly string[];
  root: string;
  suites: readonly (PlannedSuite | PlannedBrokenSuite)[];
  caseCount: number;
  trialCount: number;
  /** With all that may be run to decide comparisons; absent if there are none. */
  maxTrialCount?: number;
  concurrency: number;
  seed: number;
  bail: number | null;
  maxCostUsd: number | null;
  runTimeoutMs: number | null;
  gates: GateConfig;
  exitOn: "tests" | "gates";
  comparison: ComparisonRules;
  warnings: readonly Diagnostic[];
  /** Set when this is one shard of a run. */
  part?: PlanPart;
  /** The cases in the order of the config, made one by one. */
  cases(): Iterable<PlannedCase>;
}

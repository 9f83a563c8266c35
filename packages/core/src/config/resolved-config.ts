import type { SourcePosition } from "../errors/source-position.js";
import type { Diagnostic, DiagnosticPlace } from "../errors/error-table.js";
import type { KindlmError } from "../errors/kindlm-error.js";
import type { RegisteredAssertions } from "../assertions/registered-assertions.js";
import type { ParsedAssertion } from "../assertions/parsed-assertion.js";
import type { ModelParams } from "../providers/provider.js";
import type { RequestTimeouts } from "../providers/http/transport.js";
import type { CassetteMode } from "./cassette-mode.js";
import type { FaultVariant } from "../tools/faults/fault.js";
import type { SkillsConfig } from "../tools/builtin/skills/skills-config.js";
import type { OnToolError } from "../tools/on-tool-error-schema.js";
import type { McpServerConfig, ToolConfig } from "../tools/tool-config.js";
import type { ProgramTarget } from "../targets/registry.js";
import type { Message, UserMessage } from "../transcript/message.js";
import type { JsonObject, JsonValue } from "../values/json.js";
import type { AuxiliaryModels, ConfigModels } from "./auxiliary-model.js";
import type { GateConfig } from "../gates/registry.js";
import type { WorkspaceConfig } from "../workspace/workspace-config.js";
import type { ResolvedAgents } from "./resolved-agents.js";
import type { ResolvedPlugin } from "./resolved-plugin.js";
import type { ResolvedModel } from "./resolved-model.js";
import type { Result } from "../result.js";
import type { UploadSettings } from "./upload-settings.js";
import type { ResolvedSettings } from "./settings/test-settings.js";

export interface Timeouts extends RequestTimeouts {
  toolMs: number;
  trialMs: number;
}

export interface Limits {
  /** Requests to the model per user message. */
  maxTurns: number;
  /** Tool calls per trial. */
  maxToolCalls: number;
  maxTrialCostUsd: number | null;
}

/**
 * An assertion as the config has it. `parsed` is set when nothing in it has to be interpolated, so that all cases share
 * it; otherwise each case renders `raw` and parses the outcome.
 */
export type AssertionTemplate = {
  raw: unknown;
  /** Folder of the file it is written in; its paths are relative to it. */
  baseDir: string;
  /** The types that its config registers. */
  registered: RegisteredAssertions;
} & ({ parsed: ParsedAssertion } | { parsed: null; place: DiagnosticPlace });

/** A prompt variant. `id` is null when the suite has no `prompts:`. */
export interface PromptVariant {
  id: string | null;
  /** Text with placeholders; null for no system prompt. */
  system: string | null;
}

export interface DatasetRow {
  /** The part in brackets of the case ID: the `id` column, else a hash of the content. */
  key: string;
  values: Readonly<Record<string, JsonValue>>;
}

export type TestInput =
  | { kind: "messages"; messages: readonly Message[] }
  | {
      kind: "conversation";
      userTurns: readonly { content: UserMessage["content"]; assertions: readonly AssertionTemplate[] }[];
    };

/** A model that plays the user. Its strings may contain placeholders. */
export interface ResolvedSimulatedUser {
  model: ResolvedModel;
  persona: string | null;
  goal: string;
  /** What it can answer when asked, one sentence each. */
  knows: readonly string[];
  /** The most messages that the user sends, those that are written included. */
  maxTurns: number;
  /** A matcher as it is written, over the trial so far; null for none. */
  stop: unknown;
}

/** `retry_until` of a user turn. */
export interface RetryUntil {
  assertions: readonly AssertionTemplate[];
  stopWhen: readonly AssertionTemplate[];
  /** May hold placeholders. */
  description: string | null;
  /** The first answer included. */
  maxTries: number;
  /** May contain {{reason}}, {{description}} and {{try}} in addition to the placeholders of the test; null for the default. */
  feedback: string | null;
  isStrict: boolean;
}

/** What an attacker wants to happen. */
export interface FaultGoal {
  /** IDs of the faults that attack with it: one, or one for each style. */
  faults: readonly string[];
  /** All of them hold if the attack succeeded. */
  assertions: readonly AssertionTemplate[];
  /** Of the first of them; null if the config is an object. */
  position: SourcePosition | null;
}

/** One of the `arms` of a suite. */
export interface SuiteArm {
  id: string;
  /** The arm of which this is the placebo; null if it is none. */
  placeboOf: string | null;
}

export interface ResolvedTest extends ResolvedSettings {
  name: string;
  /** The id of the arm that it is run in; absent if its suite has no arms. */
  arm?: string;
  /** Null if the config is an object. */
  position: SourcePosition | null;
  /** None when the target asks no model of the config. */
  models: readonly ResolvedModel[];
  /** Null for a model whose tool loop KindLM runs. */
  target: ProgramTarget | null;
  prompts: readonly [PromptVariant, ...PromptVariant[]];
  /** Null when the test has no dataset. */
  rows: readonly DatasetRow[] | null;
  /** Columns whose cells are strings and written as numbers, every one of them. */
  textNumbers: readonly string[];
  input: TestInput;
  /** Null when the user's messages are all written. */
  simulatedUser: ResolvedSimulatedUser | null;
  /** Those that its assertions ask. */
  judges: AuxiliaryModels;
  embedders: AuxiliaryModels;
  /** `retry_until`, per user turn; absent where no turn has it. The key is part of identities, so it keeps its name. */
  retries?: readonly (RetryUntil | null)[];
  assertions: readonly AssertionTemplate[];
  /** Of the assertions of each user turn, then of `assertions`; empty if the config is an object. */
  assertionPositions: readonly SourcePosition[];
  runs: number;
  /** Trials that a case may have to decide its comparison with the baseline; absent if the config does not say. */
  maxRuns?: number;
  /** Passing trials that a case needs; null for all of `runs`. */
  pass: number | null;
  params: ModelParams;
  tools: readonly ToolConfig[];
  /** Absent if the agent does not delegate. */
  agents?: ResolvedAgents;
  mcpServers: readonly McpServerConfig[];
  onToolError: OnToolError;
  /** The faults of each variant of its cases. */
  faultVariants: readonly [FaultVariant, ...FaultVariant[]];
  /** Those of the faults that inject text; absent if there are none. */
  goals?: readonly FaultGoal[];
  /** Where the state of each trial begins; null when there is none. May hold placeholders. */
  state: JsonObject | null;
  /** The folder of each trial; absent if it has none. */
  workspace?: WorkspaceConfig;
  /** What the agent may load with the tool `skills`; absent if it does not have that. */
  skills?: SkillsConfig;
  limits: Limits;
  /** Of test and suite; a model's own come next, then those of the config. */
  timeouts: Partial<Timeouts>;
}

export interface ReadySuite {
  status: "ready";
  name: string;
  file: string;
  /** With arms, each test in every arm, one behind the other. */
  tests: readonly ResolvedTest[];
  /** In their order; the others are compared with the first. Absent if there are none. */
  arms?: readonly SuiteArm[];
  /** The conditions on this suite alone; absent if there are none. */
  gates?: GateConfig;
}

/** A suite that cannot run. Its cases count as skipped. */
export interface BrokenSuite {
  status: "broken";
  name: string;
  file: string;
  /** The first problem; all of them are in `diagnostics`. */
  error: KindlmError;
  diagnostics: readonly Diagnostic[];
  /** As far as they are known. */
  tests: readonly {
    name: string;
    models: readonly string[];
    /** Null stands for the one system prompt of a suite without variants. */
    prompts: readonly (string | null)[];
    rowKeys: readonly string[] | null;
    /** Null stands for the clean case, or the only one. */
    faults: readonly (string | null)[];
    /** Null stands for a suite without arms. */
    arm: string | null;
    tags: readonly string[];
  }[];
}

export type ResolvedSuite = ReadySuite | BrokenSuite;

export interface WatchedCode {
  folder: string;
  pattern: string;
}

/** One or several config files, checked and with every default filled in. */
export interface ResolvedConfig {
  /** The config files, as the user would type them. */
  files: readonly string[];
  project: string | null;
  /** Folder of the first config; `.kindlm` stands there. */
  root: string;
  /** In the order of the files. At least one is ready. */
  suites: readonly ResolvedSuite[];
  /** Those of the first config. */
  models: ConfigModels;
  gates: GateConfig;
  exitOn: "tests" | "gates";
  /** `baseline`: what a comparison with the baselines asks for. */
  comparison: { alpha: number; margin: number };
  cassette: CassetteMode;
  concurrency: number;
  seed: number;
  maxCostUsd: number | null;
  timeouts: Timeouts;
  runTimeoutMs: number | null;
  /** `watch`: globs of code behind targets and tools, each with the absolute folder that it starts from. */
  watch: readonly WatchedCode[];
  /** How many runs stay on the disk; null for all. */
  keepRuns: number | null;
  /** A failure where configs differ, which matters to who uploads the run. */
  upload: Result<UploadSettings>;
  /** In the order of the files; each serves the whole run. */
  plugins: readonly ResolvedPlugin[];
  warnings: readonly Diagnostic[];
  /** Environment after `.env` files. */
  env: Readonly<Record<string, string | undefined>>;
  /** The `.env` files that were read, as the user would type them. */
  envFiles: readonly string[];
  /** Names of environment variables that hold secrets. */
  secretNames: readonly string[];
}

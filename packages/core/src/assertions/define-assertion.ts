import type * as z from "zod";
import type { Result } from "../result.js";
import type { UserModules } from "../modules/user-modules.js";
import type { SchemaValidator } from "../json-schema/schema-validator.js";
import type { Clock } from "../values/clock.js";
import type { ProcessRunner } from "../processes/process-runner.js";
import type { WorkspaceFiles } from "../workspace/create-workspaces.js";
import type { Trial, TrialToolCall } from "../transcript/trial.js";
import type { JsonObject } from "../values/json.js";
import type { AssertionOutcome } from "./assertion-result.js";
import type { ModelPorts } from "./model-ports.js";

/** Writes a snapshot whole or not at all; `file` is absolute. */
export type SnapshotWriter = (file: string, text: string) => Promise<Result<void>>;

/** The world as an assertion may see it. */
export interface AssertionContext {
  clock: Clock;
  signal: AbortSignal;
  /** Compiles a JSON Schema file once per path. `file` is absolute. */
  loadSchema(file: string): Promise<Result<SchemaValidator>>;
  /** Compiles an inline JSON Schema once per object. */
  compileSchema(schema: JsonObject | boolean): Result<SchemaValidator>;
  /** The user's own modules. */
  modules: UserModules;
  processes: ProcessRunner;
  /** Environment of the user's own programs. */
  env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds that a user's own check may take. */
  timeoutMs: number;
  models: ModelPorts;
  /** The files that the agent left; absent if the trial had no workspace. */
  workspace?: WorkspaceFiles;
  /** Writes a snapshot; absent unless the run was asked to write what it would compare with. */
  writeSnapshot?: SnapshotWriter;
  /** Set under an odd number of `not`: there a pass of the assertion counts against the trial. */
  isNegated?: boolean;
}

/** Something that an assertion's options point at; config validation checks it before anything runs. */
export type AssertionReference =
  /** `needed`: the assertion cannot pass without a call of the tool. `isGlob`: the name is a glob. */
  | { kind: "tool"; name: string; needed: boolean; isGlob?: boolean; path: readonly (string | number)[] }
  /** `needed`: the assertion cannot pass unless it is used. */
  | { kind: "template" | "skill"; name: string; needed: boolean; path: readonly (string | number)[] }
  | { kind: "schema_file"; file: string; path: readonly (string | number)[] }
  | { kind: "schema"; schema: JsonObject | boolean; path: readonly (string | number)[] }
  | { kind: "module"; file: string; path: readonly (string | number)[] }
  /** `model` as it is written; null for the one of the test. */
  | { kind: "judge" | "embedder"; model: string | null; path: readonly (string | number)[] }
  | { kind: "baseline_answer"; path: readonly (string | number)[] };

/** A member of the assertion family. */
export interface AssertionDefinition<Options = unknown> {
  /** The `type` in the config. */
  type: string;
  /** One sentence for the docs: when it passes. */
  summary: string;
  /** A YAML flow mapping that is valid as it stands, such as `{ type: contains, value: hello }`. */
  example: string;
  /**
   * Strict object schema of the type's own keys, without `type` and the keys that every assertion takes.
   */
  options: z.ZodType<Options>;
  /** Judges cost money and time, and may say otherwise tomorrow: they are evaluated last. */
  kind: "deterministic" | "judge";
  /** It reads what was said in earlier user turns, so it cannot be evaluated on a single one. */
  spansUserTurns?: true;
  /** It reads what several agents said, so it cannot be evaluated on a single one. */
  spansAgents?: true;
  /** It reads how a conversation with a simulated user ended. */
  needsSimulatedUser?: true;
  /** True if it is about a call that waits for an approval, so the pause is not a failure by itself. */
  expectsPause?(options: Options, pending: TrialToolCall): boolean;
  /** What the options point at, with file names as they are written. */
  references?(options: Options): readonly AssertionReference[];
  /** The options with every path made absolute by `resolve`; `evaluate` gets these. */
  resolvePaths?(options: Options, resolve: (path: string) => string): Options;
  evaluate(
    options: Options,
    trial: Trial,
    context: AssertionContext,
  ): Promise<Result<AssertionOutcome>> | Result<AssertionOutcome>;
}

export function defineAssertion<Options>(definition: AssertionDefinition<Options>): AssertionDefinition<Options> {
  return definition;
}

import type * as z from "zod";
import type { UserModules } from "../modules/user-modules.js";
import type { HttpTransport, RequestTimeouts } from "../providers/http/transport.js";
import type { ProcessRunner } from "../processes/process-runner.js";
import type { ModelRoute } from "../resilience/model-route.js";
import type { Result } from "../result.js";
import type { ModelFaults } from "../tools/faults/model-faults.js";
import type { GatewayServer } from "./gateway/create-gateway-server.js";
import type { OpenTrace, TraceServer } from "./traces/create-trace-server.js";
import type { TraceSettings } from "./traces/trace-settings.js";
import type { SessionSettings, TargetSession } from "./target.js";

/** What the sessions of a run share. */
export interface TargetWorld {
  processes: ProcessRunner;
  http: HttpTransport;
  env: Readonly<Record<string, string | undefined>>;
  gateway: GatewayServer;
  /** The user's own modules. */
  modules: UserModules;
  traces: TraceServer;
}

/** What one trial hands to its target. */
export interface TargetOpening extends SessionSettings {
  /** The models that the agent's requests go to; null when it does not ask KindLM for any. */
  route: ModelRoute | null;
  timeouts: RequestTimeouts & { trialMs: number };
  /** Vars and dataset row of the case, for the placeholders in the settings of a target. */
  scope: Readonly<Record<string, unknown>>;
  world: TargetWorld;
  /** What is put between the agent and its models; null for nothing. */
  modelFaults: ModelFaults | null;
  /** Absolute paths of the folder of the trial, and of the home of its programs next to it; null if it has none. */
  workspace: { root: string; home: string } | null;
  /** The spans of the agent; absent if it sends none to KindLM. */
  traced?: OpenTrace;
}

/** What the program under test is, as every target except a model declares it. */
export interface ProgramSettings {
  /** What stands behind the @ of a case id when no model of the config is asked. */
  id: string;
  /** Whether the agent's requests to models go through KindLM. */
  proxy: boolean;
  /** Whether KindLM runs the calls of the test's own tools before the agent sees them; only with `proxy`. */
  runsTools: boolean;
  /** How its spans are received; absent if they are not. */
  traces?: TraceSettings;
}

/** A kind of target. `Config` is what its mapping in the config becomes. */
export interface TargetDefinition<Config extends ProgramSettings> {
  kind: string;
  /** The key that distinguishes this kind from the others. */
  key: string;
  schema: z.ZodType<Config>;
  /** The placeholders that its strings may contain in addition to vars and columns. */
  placeholders: readonly string[];
  /** True if it works on files, so that a test without a workspace is a mistake. */
  needsWorkspace?: true;
  /** A test needs no message of the user; absent if it does. */
  input?: "optional";
  /** Files and folders that must exist, as they are written, each with its path in the mapping. */
  files(config: Config): readonly { file: string; path: readonly (string | number)[] }[];
  /** The settings with every path made absolute. */
  resolvePaths(config: Config, resolve: (path: string) => string): Config;
  /** What the target cannot take; null when it can. */
  refuses(config: Config, input: { hasHistory: boolean; hasImages: boolean; endsWithUser: boolean }): string | null;
  open(config: Config, opening: TargetOpening): Promise<Result<TargetSession>>;
}

export function defineTarget<Config extends ProgramSettings>(
  definition: TargetDefinition<Config>,
): TargetDefinition<Config> {
  return definition;
}

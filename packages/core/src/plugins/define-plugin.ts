import type { RunResult, TrialResult } from "../engine/run-result.js";
import type { KindlmError } from "../errors/kindlm-error.js";
import type { ToolErrorType, ToolFailure } from "../transcript/tool-failure.js";

/** What every hook receives in addition to its own data. Data of hooks is frozen, and secrets in it are masked. */
export interface PluginContext<Options = unknown, State = unknown> {
  /** The value of `with` in the config; null if it is not set. */
  readonly options: Options;
  /** What `setup` returned: the same for all hooks of the plugin in one run, and the plugin's own to change. */
  readonly state: State;
  readonly runId: string;
  /** Aborts at the deadline of the hook and when the run is stopped. A hook that ignores it is left behind. */
  readonly signal: AbortSignal;
}

/** Names the trial that a hook is called for. */
export interface TrialContext<Options = unknown, State = unknown> extends PluginContext<Options, State> {
  readonly suite: string;
  readonly caseId: string;
  /** From 1 within the case. */
  readonly trial: number;
}

/** Names the trial of a tool call, and its folder. */
export interface ToolUseContext<Options = unknown, State = unknown> extends TrialContext<Options, State> {
  /** Absolute path of the workspace; null without one. */
  readonly workspace: string | null;
}

/** An attempt to get an answer of a provider that failed. */
export interface ProviderFailedContext<Options = unknown, State = unknown> extends TrialContext<Options, State> {
  /** Name of the provider in the config. */
  readonly provider: string;
  /** Who asked the model. */
  readonly role: "agent" | "sub_agent" | "simulated_user" | "judge" | "embedder";
  /** Request to the model, from 1 within the trial; those of others than the agent are counted apart. */
  readonly turn: number;
  /** From 1 within the turn, those of fallback models included. */
  readonly attempt: number;
  readonly latencyMs: number;
  readonly error: KindlmError;
  /** True when no further attempt was made, so that the call failed as a whole. */
  readonly callFailed: boolean;
  /** Failed attempts of this provider in the run so far, this one included. */
  readonly failedAttempts: number;
  /** Calls of this provider that failed as a whole in the run so far. */
  readonly failedCalls: number;
}

/** A tool call that ended in an error. */
export interface ToolFailedContext<Options = unknown, State = unknown> extends TrialContext<Options, State> {
  readonly tool: string;
  readonly callId: string;
  /** As the agent gave them; the raw text if it is not JSON. */
  readonly args: unknown;
  readonly failure: ToolFailure;
}

/** A finished trial. */
export interface TrialEndedContext<Options = unknown, State = unknown> extends PluginContext<Options, State> {
  readonly result: Readonly<TrialResult>;
}

/** A finished run. */
export interface RunEndedContext<Options = unknown, State = unknown> extends PluginContext<Options, State> {
  /** The result without its transcripts; `trialEnded` has had them. */
  readonly result: Readonly<Omit<RunResult, "trials">>;
}

/** A call that is about to reach its tool: the tool exists, and the arguments fit its schema. */
export interface HookedCall {
  readonly id: string;
  readonly tool: string;
  /** The same as `tool`, as the KODE SDK calls it. */
  readonly name: string;
  readonly args: unknown;
}

/** What `preToolUse` may decide. `deny` and `replace` keep the tool from being run. */
export type PreToolUseDecision =
  /** The call needs no approval. What the test denies stays denied. */
  | { decision: "allow" }
  /** The agent receives a `logical` tool error that is not worth retrying, with the reason as its message. */
  | { decision: "deny"; reason: string }
  /** The call needs an approval, as if a rule of the test asked for one: `approvals` answer, or the trial is paused. */
  | { decision: "ask"; reason?: string; meta?: { reason?: string } }
  /** The call has this result; it must be JSON. */
  | { decision?: "replace"; result: unknown; reason?: string };

/** The outcome of a call. */
export type HookedOutcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: ToolFailure };

/** An error that `postToolUse` gives a call. Type: `logical` unless given. */
interface GivenError {
  message: string;
  errorType?: ToolErrorType;
  retryable?: boolean;
  recommendations?: readonly string[];
}

/** What `postToolUse` may decide: the outcome that the agent sees instead, or the parts of it that change. */
export type PostToolUseDecision =
  | { replace: { ok: true; value: unknown } | { ok: false; error: GivenError }; reason?: string }
  | { update: { ok?: true; value: unknown } | { ok?: false; error: GivenError }; reason?: string };

type MaybeLater<T> = T | Promise<T>;

/**
 * A plugin. `providerFailed`, `toolFailed`, `trialEnded` and `runEnded` observe: they are called one after the other,
 * while the run continues, and change nothing. `preToolUse` and `postToolUse` may decide about a tool call, which waits for them.
 * A hook that throws, does not answer in time or answers nonsense counts as one that returned nothing.
 */
export interface Plugin<Options = unknown, State = unknown> {
  /** As warnings and reports call it. */
  readonly name: string;
  /** Called once, before the run; what it returns is `ctx.state`. A throw keeps the run from starting. */
  setup?(options: Options): MaybeLater<State>;
  providerFailed?(ctx: ProviderFailedContext<Options, State>): unknown;
  toolFailed?(ctx: ToolFailedContext<Options, State>): unknown;
  trialEnded?(ctx: TrialEndedContext<Options, State>): unknown;
  runEnded?(ctx: RunEndedContext<Options, State>): unknown;
  preToolUse?(call: HookedCall, ctx: ToolUseContext<Options, State>): MaybeLater<PreToolUseDecision | undefined | void>;
  postToolUse?(
    call: HookedCall,
    outcome: HookedOutcome,
    ctx: ToolUseContext<Options, State>,
  ): MaybeLater<PostToolUseDecision | undefined | void>;
}

/** Declares a plugin for `plugins: ["./plugins/alert.ts"]`; it gives the hooks their types and nothing else. */
export function definePlugin<Options = unknown, State = undefined>(
  plugin: Plugin<Options, State>,
): Plugin<Options, State> {
  return plugin;
}

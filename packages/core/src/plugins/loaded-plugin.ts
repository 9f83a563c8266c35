import type { ModuleFailure } from "../modules/module-failure.js";
import type { Result } from "../result.js";
import type { DeciderName, HookName, ObserverName } from "./hook-name.js";
import type { HookOpinion, HookVerdict } from "./read-decision.js";

/** What a hook is called with. All of it is data. */
export interface HookInput {
  /** What comes before `ctx`. */
  given: readonly unknown[];
  /** `ctx` without what the plugin itself has there: options, state and signal. */
  ctx: object;
}

export type RunHook<T> = (input: HookInput, signal: AbortSignal) => Promise<Result<T, ModuleFailure>>;

/** The answer of a deciding hook; the error is the reason why it is not a decision. */
export type Decided = Result<HookVerdict | HookOpinion | null, string>;

/** A plugin, ready to be set up. Nothing in it rejects. */
export interface LoadedPlugin {
  name: string;
  observers: ReadonlyMap<ObserverName, RunHook<unknown>>;
  deciders: ReadonlyMap<DeciderName, RunHook<Decided>>;
  /** Calls `setup`, where there is one; what it returns stays with the hooks. */
  setUp(options: unknown, signal: AbortSignal): Promise<Result<null, ModuleFailure>>;
  /** What else keeps the worker from answering its hooks; null for nothing. */
  blockedBy(): string | null;
}

export function hooksOf({ observers, deciders }: LoadedPlugin): HookName[] {
  return [...observers.keys(), ...deciders.keys()];
}

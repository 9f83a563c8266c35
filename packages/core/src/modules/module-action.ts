import type { Result } from "../result.js";
import type { ModuleFailure } from "./module-failure.js";

/** Something that is done with an export of a user's module, in the worker that has loaded it. */
export interface ModuleAction<Input, Output> {
  readonly name: string;
  /** Exists for the types only: what goes into the worker and what comes back are copies, so that they must be data. */
  carries?(input: Input): Output;
}

/** Declares an action. Its name is unique, because the worker receives nothing else. */
export function moduleAction<Input, Output>(name: string): ModuleAction<Input, Output> {
  return { name };
}

/** The world of an action inside the worker. */
export interface ModuleScope {
  /** The export, loaded once per worker. */
  load(): Promise<Result<unknown>>;
  /** `file#export`. */
  place: string;
  /** Aborts when the caller waits no longer. */
  signal: AbortSignal;
  /** Notifies the caller; it arrives before the outcome does. */
  notify(data: unknown): void;
  /** Asks the caller something. Rejects with what the caller could not answer. */
  ask(data: unknown): Promise<unknown>;
}

export type RunAction<Input, Output> = (input: Input, scope: ModuleScope) => Promise<Result<Output, ModuleFailure>>;

/** An action with its code, as the worker keeps it. What comes in was sent by the same version of KindLM. */
export interface ImplementedAction {
  name: string;
  run(input: unknown, scope: ModuleScope): Promise<Result<unknown, ModuleFailure>>;
}

export function implement<Input, Output>(
  { name }: ModuleAction<Input, Output>,
  run: RunAction<Input, Output>,
): ImplementedAction {
  return { name, run };
}

import type { Result } from "../result.js";
import type { ModuleAction } from "./module-action.js";
import type { ModuleFailure } from "./module-failure.js";

/** A call of a user's module. */
export interface ModuleCall<Input, Output> {
  action: ModuleAction<Input, Output>;
  /** Absolute. */
  file: string;
  exportName: string;
  /** How messages call it, such as `check ./checks.ts#isPolite`. */
  what: string;
  /** Is copied: nothing that the module does to it is seen here. */
  input: Input;
  /** Aborts when the caller waits no longer. The call may go on in the worker, but must leave it able to answer. */
  signal: AbortSignal;
  /** Whether it may be made again where another call ended the worker in the middle of it. */
  isRepeatable: boolean;
  onNotify?(data: unknown): void;
  onAsk?(data: unknown): Promise<unknown>;
}

/** A module that ended its worker. */
export interface EndedModule {
  /** As in {@link ModuleCall.what}. */
  what: string;
  /** What it did, to be read after `what`. */
  message: string;
  /** What followed from it. */
  hint: string;
}

/**
 * The user's modules, in a worker: whatever they do, this process goes on. Each module is loaded once, and keeps what it
 * remembers until one of them ends the worker; the next call then begins with a new one.
 */
export interface UserModules {
  /** Never rejects. Without an answer it ends with the worker, also long after its signal has aborted. */
  call<Input, Output>(call: ModuleCall<Input, Output>): Promise<Result<Output, ModuleFailure>>;
  /** What else keeps the worker from answering `what` just now; null when it answers, or when `what` itself does. */
  blockedBy(what: string): string | null;
  /** Ends the worker. Returns all that ended one before. */
  close(): Promise<readonly EndedModule[]>;
}

export interface ModuleWorld {
  /** Where `console` of modules prints. Default: stdout. */
  console?: "stdout" | "stderr";
  /** Receives an uncaught error, such as one thrown by a timer. No call fails because of it. */
  onStray?(cause: unknown, what: string): void;
  /** Called when a worker cannot be stopped, because it is blocked in a system call. */
  onStuck?(): void;
  /** How long a worker that has not answered is taken to be busy with something that ends. Default: 2 s. */
  patienceMs?: number;
}

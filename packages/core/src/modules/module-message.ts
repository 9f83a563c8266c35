import type { MessagePort } from "node:worker_threads";
import type { Result } from "../result.js";
import type { ModuleFailure } from "./module-failure.js";

/** Messages to the worker. */
export type ToWorker =
  | { type: "call"; id: number; site: number; action: string; file: string; exportName: string; input: unknown }
  | { type: "abort"; id: number }
  | { type: "answer"; ask: number; answer: Result<unknown, string> }
  | { type: "ping" }
  | { type: "end" };

/** Messages from the worker. */
export type FromWorker =
  | { type: "outcome"; id: number; outcome: Result<unknown, ModuleFailure> }
  | { type: "notify"; id: number; data: unknown }
  | { type: "ask"; id: number; ask: number; data: unknown }
  | { type: "stray"; site: number; cause: unknown }
  | { type: "pong" };

/** What the worker is started with. */
export interface WorkerStart {
  port: MessagePort;
  board: SharedArrayBuffer;
  /** Where `console` prints. */
  console: "stdout" | "stderr";
}

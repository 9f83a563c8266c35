import type { Context } from "hono";
import type { Answered } from "../operation/metrics.js";
import type { ApiWorld } from "./route.js";

/** A line of the log, in the form of section 8 of the error-handling specification. */
export interface LogEntry {
  level: "error" | "warn" | "info";
  code: string;
  message: string;
  org_id?: string;
  run_id?: string;
}

export interface AppWorld extends ApiWorld {
  log(entry: LogEntry): void;
  /** The address of the client. */
  addressOf(context: Context): string;
  /** Where the server listens, as an address. */
  listening(): string;
  /** Called after each answer. */
  onAnswer?(answered: Answered): void;
  /** False while the server stops. */
  isServing(): boolean;
}

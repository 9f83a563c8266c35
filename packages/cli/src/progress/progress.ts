import type { RunEvent } from "@kindlm/core";
import type { OutputStream } from "../sinks/output-stream.js";

/** What is shown while a run goes on: a fold of its events. */
export interface Progress {
  onEvent(event: RunEvent): void;
  /** Leaves the stream clean for what is printed next. */
  stop(): void;
}

export interface ProgressSettings {
  stream: OutputStream;
  /** A line per case. */
  verbose: boolean;
  color: boolean;
  /** Makes untrusted text fit to be shown on one line. */
  safe(text: string): string;
}

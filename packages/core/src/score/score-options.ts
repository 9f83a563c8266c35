import type { ProjectPlace } from "../config/locate-root.js";
import type { RunTestsOptions } from "../plan/run-options.js";
import type { ReceivedTraces } from "./received-traces.js";
import type { TranscriptStream } from "./transcript-source.js";

/** What scoring takes of the options of a run: those that say what is judged and where the result goes. */
export type ScoringOptions = Pick<
  RunTestsOptions,
  | keyof ProjectPlace
  | "filters"
  | "concurrency"
  | "gatePassRate"
  | "maxCostUsd"
  | "retry"
  | "journal"
  | "plugins"
  | "ci"
>;

export interface ScoreOptions extends ScoringOptions {
  /** Files of transcripts or spans, journals, run folders, streams, and received traces. Relative to `environment.cwd`. */
  transcripts: readonly (string | TranscriptStream | ReceivedTraces)[];
  /** The test of traces that name none: `suite/test`, or the name of the test alone. */
  testOfTraces?: string;
}

export interface RescoreOptions extends ScoringOptions {
  /** The run whose conversations are scored again: its id, the beginning of it, the path of its folder, or `last`. */
  run: string;
}

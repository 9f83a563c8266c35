import type { LoadExport } from "../modules/create-export-loader.js";
import type { HttpTransport } from "../providers/http/transport.js";
import type { ProcessRunner } from "../processes/process-runner.js";
import type { Result } from "../result.js";
import type { Clock } from "../values/clock.js";
import type { ToolHooks } from "../tools/tool-hooks.js";
import type { RunEventBody, TrialRef } from "./run-event.js";
import type { TrialResult } from "./run-result.js";

/** Keeps finished trials, transcripts included. A trial counts as finished when `append` resolves. */
export interface TrialStore {
  append(trial: TrialResult): Promise<Result<void>> | Result<void>;
  /** The trials of one case, in their order. */
  read(caseId: string): AsyncIterable<TrialResult>;
}

/** Everything of the world that the engine touches. */
export interface EnginePorts {
  clock: Clock;
  http: HttpTransport;
  processes: ProcessRunner;
  /** Environment variables, `.env` files included. */
  env: Readonly<Record<string, string | undefined>>;
  /** Loads exports of the user's modules, each module once. */
  loadExport: LoadExport;
  trials: TrialStore;
  emit(event: RunEventBody): void;
  /** Plug-ins that have a say in the tool calls of a trial; absent when there are none. */
  toolHooks?: ((trial: TrialRef) => ToolHooks) | null;
}

import type { Redactor } from "../redaction/redactor.js";
import type { Cassette, TrialStore } from "../engine/ports.js";
import type { Diagnostic } from "../errors/error-table.js";
import type { RunEventBody } from "../engine/run-event.js";
import type { RunPlan } from "../plan/run-plan.js";
import type { HttpTransport } from "../providers/http/transport.js";
import type { CassetteLatency, CassetteMode } from "../config/cassette-mode.js";
import type { Clock } from "../values/clock.js";
import { Tapes } from "./tapes.js";
import { openTapedAdapter } from "./taped-adapter.js";
import { createTapedTransport } from "./taped-transport.js";
import { createToolTape } from "./tape-tools.js";

export interface CassetteSettings {
  mode: Exclude<CassetteMode, "off">;
  latency: CassetteLatency;
  clock: Clock;
  http: HttpTransport;
  redactor: Redactor;
  emit(event: RunEventBody): void;
}

/** What a run has of its cassettes. */
export interface RunCassette extends Cassette {
  /** Replaces the transport of the run. */
  http: HttpTransport;
  /** The store, with an eye on which trials are over. */
  watchTrials(store: TrialStore): TrialStore;
  /** Writes what is left; the warnings say what could not be kept. */
  finish(): Promise<readonly Diagnostic[]>;
}

/** Records or replays everything outside of KindLM that the trials of a plan ask. */
export function createCassette(
  plan: RunPlan,
  { mode, latency, clock, http, redactor, emit }: CassetteSettings,
): RunCassette {
  const isReplay = mode === "replay";
  const { redact } = redactor;
  const takesTime = latency === "recorded";
  const tapes = new Tapes(plan, mode, clock, redactor);
  const transport = createTapedTransport({ mode, tapes, live: isReplay ? null : http, clock, takesTime, redact });
  const warnings = new Map<string, Diagnostic>();
  const warn = (code: Diagnostic["code"], message: string): void => {
    warnings.set(message, { code, severity: "warning", message });
  };
  return {
    isReplay,
    http: transport,
    openAdapter: (model, ports) =>
      openTapedAdapter(model, ports, {
        transport,
        isReplay,
        redact,
        warn: (message) => warn("STORE_WRITE_ERROR", message),
      }),
    toolTapeOf: (planned, { trial, signal }) =>
      createToolTape(planned, trial, signal, { mode, tapes, clock, takesTime, redact }),
    watchTrials: (store) => ({
      append(trial, planned, origin) {
        tapes.finish(trial, origin);
        return store.append(trial, planned, origin);
      },
      flush: () => store.flush(),
      read: (caseId) => store.read(caseId),
    }),
    async finish() {
      const error = await tapes.close();
      if (error !== null) {
        const { message } = error;
        emit({ channel: "monitor", type: "error", severity: "warn", phase: "store", message, error });
        warn(error.code, message);
      }
      return [...warnings.values()];
    },
  };
}

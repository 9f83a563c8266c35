import type { ResolvedConfig } from "../config/resolved-config.js";
import type { Cassette, TrialStore } from "../engine/ports.js";
import type { RunInfo } from "../engine/run-result.js";
import type { Diagnostic } from "../errors/error-table.js";
import type { RunPlan } from "../plan/run-plan.js";
import type { HttpTransport } from "../providers/http/transport.js";
import type { RunTestsOptions } from "../plan/run-options.js";
import type { CassetteSettings, MissListener } from "./create-cassette.js";

export type { MissListener } from "./create-cassette.js";

/** What a run puts between itself and the world; all as it was where there is no cassette. */
export interface CassetteOfRun {
  cassette: Cassette | null;
  http: HttpTransport;
  trials: TrialStore;
  /** What the result says of it. */
  about: Pick<RunInfo, "replayed">;
  finish(): Promise<readonly Diagnostic[]>;
}

/** The requested settings: the option overrides the config. */
export interface CassetteWish {
  plan: RunPlan;
  config: Pick<ResolvedConfig, "cassette">;
  options: Pick<RunTestsOptions, "cassette" | "cassetteLatency">;
  misses?: MissListener | undefined;
}

/** Opens the cassettes of a run. Where nothing is recorded or replayed, nothing of them is loaded. */
export async function openRunCassette(
  { plan, config, options, misses }: CassetteWish,
  trials: TrialStore,
  ports: Omit<CassetteSettings, "mode" | "latency" | "misses">,
): Promise<CassetteOfRun> {
  const { cassette: mode = config.cassette, cassetteLatency: latency = "none" } = options;
  if (mode === "off") return { cassette: null, http: ports.http, trials, about: {}, finish: async () => [] };
  const { createCassette } = await import("./create-cassette.js");
  const cassette = createCassette(plan, { ...ports, mode, latency, misses });
  return {
    cassette,
    http: cassette.http,
    trials: cassette.watchTrials(trials),
    about: cassette.isReplay ? { replayed: true } : {},
    finish: () => cassette.finish(),
  };
}

import type { CassetteLatency, CassetteMode } from "../config/cassette-mode.js";
import type { ProjectPlace } from "../config/locate-root.js";
import type { RetryPreset } from "../resilience/retry-policy.js";

/** What a run is asked to do beyond its config. Undefined means: as the config says. */
export interface RunTestsOptions extends ProjectPlace {
  filters?: TestFilters;
  runs?: number;
  concurrency?: number;
  seed?: number;
  /** Deadline of a trial. */
  trialTimeoutMs?: number;
  /** Name of a retry preset that replaces every policy of the config. */
  retry?: RetryPreset;
  /** Number of failed or errored cases after which no more start. */
  bail?: number;
  /** Sets `gates.pass_rate` and lets the gates decide. */
  gatePassRate?: number;
  maxCostUsd?: number;
  /** Runs one part of the cases alone; `mergeRuns` joins the parts. */
  shard?: Shard;
  /** File of durations that balances the shards; default: `.kindlm/durations.json` where there is one. */
  shardDurations?: string;
  /** Resumes a run: its ID, a unique prefix, or `last`. Omitted options are those of the run's start. */
  resume?: string;
  /** Runs only the cases that failed, errored, or belong to a broken suite of a run: its id, the beginning of it, or `last`. */
  rerunFailed?: string;
  /** False keeps no journal: a run that is cut off is lost, and cannot be reported again. */
  journal?: boolean;
  /** Overrides `cassette` of the config. */
  cassette?: CassetteMode;
  /** Default: `none`. */
  cassetteLatency?: CassetteLatency;
  /** False does not compare the run with the baselines of its suites. */
  baseline?: boolean;
  /**
   * Runs cases that seem to be worse than their baseline again, and decides on the fresh trials alone. Has no effect on a
   * shard.
   */
  confirm?: boolean;
  /** False runs without the plugins of the config. */
  plugins?: boolean;
  /** In CI `only: true` is an error. */
  ci?: boolean;
}

/** One of the parts that the cases of a run are split into. */
export interface Shard {
  /** From 1. */
  index: number;
  of: number;
}

/** What a run that goes on was asked for. */
export interface RunSessions {
  /** The filters of this session; null if it has none. */
  asked: TestFilters | null;
  /** Those of the sessions before, the first one included. */
  before: readonly TestFilters[];
}

export interface TestFilters {
  /** Names of suites. */
  suites?: readonly string[];
  /** Substrings of case ids, or `/regex/`; a case that matches any is taken. */
  tests?: readonly string[];
  /** As `tests`; a case that matches any is left out. */
  exclude?: readonly string[];
  tags?: readonly string[];
  /** Ids of cases, whole. */
  cases?: readonly string[];
  /** Model ids. */
  models?: readonly string[];
}

import { cassetteLatencies, cassetteModes } from "../config/cassette-mode.js";
import type { ProjectPlace } from "../config/locate-root.js";
import { retryPresetNames } from "../resilience/retry-policy.js";
import { list } from "../shape/compound.js";
import { record } from "../shape/record.js";
import { amount, count, flag, integer, number, oneOf, text } from "../shape/scalars.js";
import type { Static } from "../shape/shape.js";

/** One of the parts that the cases of a run are split into. */
export const shardShape = record({
  /** From 1. */
  index: count,
  of: count,
});
export type Shard = Static<typeof shardShape>;

export const filtersShape = record(
  {},
  {
    /** Names of suites. */
    suites: list(text),
    /** Substrings of case ids, or `/regex/`; a case that matches any is taken. */
    tests: list(text),
    /** As `tests`; a case that matches any is left out. */
    exclude: list(text),
    tags: list(text),
    /** Ids of cases, whole. */
    cases: list(text),
    /** Model ids. */
    models: list(text),
  },
);
export type TestFilters = Static<typeof filtersShape>;

/** The options that a run starts with, and keeps when it is resumed. */
export const storedOptionsShape = record(
  {
    /** Config files or folders. Empty for the default, and for a config object. */
    paths: list(text),
  },
  {
    filters: filtersShape,
    runs: count,
    concurrency: count,
    seed: integer,
    /** Deadline of a trial. */
    trialTimeoutMs: amount,
    /** Name of a retry preset that replaces every policy of the config. */
    retry: oneOf(retryPresetNames),
    /** Number of failed or errored cases after which no more start. */
    bail: count,
    /** Sets `gates.pass_rate` and lets the gates decide. */
    gatePassRate: number,
    maxCostUsd: amount,
    /** Runs one part of the cases alone; `mergeRuns` joins the parts. */
    shard: shardShape,
    /** File of durations that balances the shards; default: `.kindlm/durations.json` where there is one. */
    shardDurations: text,
    /** False keeps no journal: a run that is cut off is lost, and cannot be reported again. */
    journal: flag,
    /** Overrides `cassette` of the config. */
    cassette: oneOf(cassetteModes),
    /** Default: `none`. */
    cassetteLatency: oneOf(cassetteLatencies),
    /** False does not compare the run with the baselines of its suites. */
    baseline: flag,
    /**
     * Runs cases that seem to be worse than their baseline again, and decides on the confirmation trials alone. Has no effect on a
     * shard.
     */
    confirm: flag,
    /**
     * Runs further trials while the comparison with the baseline is inconclusive, up to `runs.max` of the config or else
     * four times `runs`. False runs none, whatever the config says. Has no effect on a shard.
     */
    untilDecided: flag,
    /** False runs without the plugins of the config. */
    plugins: flag,
  },
);
export type StoredOptions = Static<typeof storedOptionsShape>;

/** What a run is asked to do beyond its config. Undefined means: as the config says. */
export interface RunTestsOptions extends Omit<StoredOptions, "paths">, ProjectPlace {
  /** Resumes a run: its ID, a unique prefix, or `last`. Omitted options are those of the run's start. */
  resume?: string;
  /** Runs only the cases that failed, errored, or belong to a broken suite of a run: its id, the beginning of it, or `last`. */
  rerunFailed?: string;
  /** Writes the snapshots that assertions would compare with. */
  updateSnapshots?: boolean;
  /** In CI `only: true` is an error. */
  ci?: boolean;
}

/** What a run that goes on was asked for. */
export interface RunSessions {
  /** The filters of this session; null if it has none. */
  asked: TestFilters | null;
  /** Those of the sessions before, the first one included. */
  before: readonly TestFilters[];
}

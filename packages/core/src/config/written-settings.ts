import type { ModelParams } from "../providers/provider.js";
import type { Limits, Timeouts } from "./resolved-config.js";

/** Built-in values, as config.md lists them. */
export const builtinTimeouts: Timeouts = {
  connectMs: 10_000,
  headersMs: 60_000,
  idleMs: 30_000,
  requestMs: 60_000,
  toolMs: 60_000,
  trialMs: 300_000,
};
const builtinLimits: Limits = { maxTurns: 10, maxToolCalls: 50, maxTrialCostUsd: null };
export const builtinConcurrency = 8;
export const builtinSeed = 1;
export const builtinKeptRuns = 100;
export const builtinAlpha = 0.05;
export const builtinMargin = 0.05;

type WrittenTimeouts = { [name: string]: number | undefined };
type WrittenLimits = {
  max_turns?: number | undefined;
  max_tool_calls?: number | undefined;
  max_trial_cost?: number | undefined;
};

const timeoutNames = ["connect", "headers", "idle", "request", "tool", "trial"] as const;

/** Only the deadlines that are written, so that spreading them keeps those of an outer level. */
export function timeoutsOf(written: WrittenTimeouts | undefined): Partial<Timeouts> {
  const timeouts: Partial<Timeouts> = {};
  for (const name of timeoutNames) {
    const ms = written?.[name];
    if (ms !== undefined) timeouts[`${name}Ms`] = ms;
  }
  return timeouts;
}

/** Limits of the nearest level that sets each. The levels come from near to far. */
export function limitsOf(levels: readonly (WrittenLimits | undefined)[]): Limits {
  const nearest = (key: keyof WrittenLimits): number | undefined =>
    levels.find((level) => level?.[key] !== undefined)?.[key];
  return {
    maxTurns: nearest("max_turns") ?? builtinLimits.maxTurns,
    maxToolCalls: nearest("max_tool_calls") ?? builtinLimits.maxToolCalls,
    maxTrialCostUsd: nearest("max_trial_cost") ?? builtinLimits.maxTrialCostUsd,
  };
}

/** Params without the keys that are undefined, so that they can be spread. */
export function paramsOf(written: object | undefined): ModelParams {
  return Object.fromEntries(Object.entries(written ?? {}).filter(([, value]) => value !== undefined));
}

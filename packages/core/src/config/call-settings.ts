import { retryPresets } from "../resilience/retry-policy.js";
import type { ResolvedModel, RateLimits } from "./resolved-model.js";
import { callKeys, type WrittenCall } from "./schema/call-schema.js";
import type { Section } from "./source/section.js";

/** How calls are made, as a level of the config has it. */
export interface CallLevel {
  call: WrittenCall;
  section: Section;
}

type CallSettings = Pick<ResolvedModel, "retry" | "circuitBreaker" | "allowsFallback" | "rateLimits" | "stream">;

/** As config.md has it: on, unless it is switched off. */
export const builtinCircuitBreaker = { failures: 5, resetMs: 60_000 };

/** The keys that say how calls are made, out of a model, a provider or the top level. */
export function callOf(parsed: WrittenCall): WrittenCall {
  const entries = Object.entries(parsed).filter(([key, value]) => Object.hasOwn(callKeys, key) && value !== undefined);
  return Object.fromEntries(entries);
}

/** Joins the levels: model, provider, top level. The nearest that sets a key wins. */
export function resolveCall(model: WrittenCall, provider: WrittenCall, top: WrittenCall): CallSettings {
  const nearest = { ...top, ...provider, ...model };
  const breaker = nearest.circuit_breaker ?? builtinCircuitBreaker;
  return {
    retry: nearest.retry ?? retryPresets.default,
    circuitBreaker: breaker === false ? null : breaker,
    allowsFallback: nearest.allow_fallback ?? false,
    rateLimits: { model: rateLimitsOf(model), provider: rateLimitsOf({ ...top, ...provider }) },
    stream: nearest.stream ?? false,
  };
}

/** A model's limit applies in addition to that of its provider, which all its models share. */
function rateLimitsOf(call: WrittenCall): RateLimits | null {
  const { requests_per_minute: requests, tokens_per_minute: tokens } = call;
  if (requests === undefined && tokens === undefined) return null;
  return { requestsPerMinute: requests ?? null, tokensPerMinute: tokens ?? null };
}

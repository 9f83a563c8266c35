import type { ProviderDefinition, ModelSettings } from "../providers/define-provider.js";
import type { RequestTimeouts } from "../providers/http/transport.js";
import type { Pricing } from "../providers/pricing/pricing.js";
import type { ModelParams } from "../providers/provider.js";
import type { RetryPolicy } from "../resilience/retry-policy.js";

/** The most that may begin within any minute; null for no limit. */
export interface RateLimits {
  requestsPerMinute: number | null;
  tokensPerMinute: number | null;
}

export interface CircuitBreakerSettings {
  /** Failed attempts in a row that open it. */
  failures: number;
  resetMs: number;
}

export interface ResolvedModel {
  id: string;
  definition: ProviderDefinition;
  settings: ModelSettings;
  params: ModelParams;
  retry: RetryPolicy;
  /** Null when it is switched off. */
  circuitBreaker: CircuitBreakerSettings | null;
  /** Models that answer in its place, in their order. */
  fallback: readonly ResolvedModel[];
  /** Whether they may when the model is the one under test. */
  allowsFallback: boolean;
  /** Of the model itself, and of all models of its provider together. */
  rateLimits: { model: RateLimits | null; provider: RateLimits | null };
  stream: boolean;
  timeouts: Partial<RequestTimeouts>;
  pricing: Pricing | null;
  deterministic: boolean;
}

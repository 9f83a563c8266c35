import type { Pricing } from "../providers/pricing/pricing.js";
import type { ModelParams, ProviderAdapter } from "../providers/provider.js";
import type { RequestTimeouts } from "../providers/http/transport.js";
import type { CircuitBreaker } from "./circuit-breaker/create-circuit-breaker.js";
import type { Limiter } from "./limiter/limiter.js";
import type { RetryPolicy } from "./retry-policy.js";

/** A model of a run, with what all calls to it share. */
export interface ModelEndpoint {
  /** Id of the model in the config. */
  model: string;
  /** Its name as its provider knows it. */
  servedAs: string;
  /** Its name for limiter and breaker: the id, unless another model of the run has that too. */
  lane: string;
  /** Name of the provider in the config. */
  provider: string;
  adapter: ProviderAdapter;
  /** Null where calls begin whenever they like. */
  limiter: Limiter | null;
  /** Null when it is switched off. */
  breaker: CircuitBreaker | null;
  /** Whether anything limits the tokens per minute, so that they have to be estimated. */
  countsTokens: boolean;
  /** True where recordings alone answer: there is nothing to wait for. */
  isReplay?: true;
}

/** A model that a call may go to, and how it is asked. */
export interface RouteTarget {
  endpoint: ModelEndpoint;
  policy: RetryPolicy;
  params: ModelParams;
  timeouts: RequestTimeouts;
  stream: boolean;
  pricing: Pricing | null;
}

/** Where a call may go: the model itself, then its fallbacks. */
export type ModelRoute = readonly [RouteTarget, ...RouteTarget[]];

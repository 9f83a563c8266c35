import { builtinCircuitBreaker } from "../config/call-settings.js";
import type { ResolvedModel, CircuitBreakerSettings } from "../config/resolved-model.js";
import type { PlannedCase, PlannedModel, RunPlan } from "../plan/run-plan.js";
import type { ModelSettings } from "../providers/define-provider.js";
import { createCircuitBreaker, type CircuitBreaker } from "../resilience/circuit-breaker/create-circuit-breaker.js";
import { Limiter } from "../resilience/limiter/limiter.js";
import type { ModelEndpoint, ModelRoute, RouteStop } from "../resilience/model-route.js";
import { success, type Result } from "../result.js";
import type { EnginePorts } from "./ports.js";
import type { SettledProvider } from "../summary/run-totals.js";

/** The models of a run, each with its adapter and what guards it. */
export interface EndpointCatalog {
  /**
   * Where the calls of a case may go; null when its target asks no model of the config. The error: its model, or one
   * that stands in for it, cannot be used.
   */
  routeOf(planned: PlannedCase): Result<ModelRoute | null>;
  /** Where the calls for one role go: its model, then those that stand in for it. */
  routeThrough(models: readonly [PlannedModel, ...PlannedModel[]]): Result<ModelRoute>;
  /** Ends the wait of all calls that have not begun, once all would be refused. */
  release(): void;
  /** What the limiters settled on, by provider. */
  settled(): readonly SettledProvider[];
}

/** What all models behind one key share. */
interface SharedGuards {
  /** The names that the config has for it. */
  providers: Set<string>;
  limiter: Limiter;
  breaker: CircuitBreaker;
  /** The lanes of its models, by name, and what makes each the only one of its kind. */
  lanes: Map<string, Lane & { identity: string }>;
}

/** What guards one model by itself. */
interface Lane {
  circuitBreaker: CircuitBreakerSettings | null;
  rateLimits: ResolvedModel["rateLimits"]["model"];
}

const unlimited = { requestsPerMinute: null, tokensPerMinute: null };

export function createEndpoints(plan: RunPlan, ports: EnginePorts): EndpointCatalog {
  const guards = new Map<string, SharedGuards>();
  // Two configs may use one id for different models, so the settings themselves tell them apart.
  const endpoints = new Map<ModelSettings, Result<ModelEndpoint>>();

  const guardsOf = ({ definition, settings, rateLimits }: ResolvedModel): SharedGuards => {
    const provider = settings.providerName;
    const access = definition.inspect(settings, ports.env);
    const keys = access?.keys.map(({ env }) => ports.env[env] ?? "") ?? [];
    // Limits are of the provider as the config has it: two of its names for one server may have different ones.
    const id = JSON.stringify([...(access === null ? [provider] : [access.baseUrl, ...keys]), rateLimits.provider]);
    const known = guards.get(id);
    if (known !== undefined) return known;
    const lanes: SharedGuards["lanes"] = new Map();
    const created: SharedGuards = {
      providers: new Set(),
      lanes,
      limiter: new Limiter(
        {
          concurrency: plan.concurrency,
          ...(rateLimits.provider ?? unlimited),
          minuteLimitsOf: (lane) => lanes.get(lane)?.rateLimits ?? unlimited,
          onChange: ({ lane, ...change }) =>
            ports.emit({ channel: "progress", type: "limiter", provider, model: lane, ...change }),
        },
        ports.clock,
      ),
      breaker: createCircuitBreaker(
        (lane) => lanes.get(lane)?.circuitBreaker ?? builtinCircuitBreaker,
        ports.clock,
        ({ to, ...change }) => {
          ports.emit({ channel: "monitor", type: "breaker", provider, state: to, ...change });
          if (to === "open") created.limiter.release(change.model);
        },
      ),
    };
    guards.set(id, created);
    return created;
  };

  const endpointOf = (model: ResolvedModel): Result<ModelEndpoint> => {
    const known = endpoints.get(model.settings);
    if (known !== undefined) return known;
    const { cassette = null } = ports;
    const adapter =
      cassette === null ? model.definition.create(model.settings, ports) : cassette.openAdapter(model, ports);
    const created = adapter.success ? success(guarded(model, adapter.data)) : adapter;
    endpoints.set(model.settings, created);
    return created;
  };

  const guarded = (model: ResolvedModel, adapter: ModelEndpoint["adapter"]): ModelEndpoint => {
    if (ports.cassette?.isReplay === true) return replayedEndpoint(model, adapter);
    const shared = guardsOf(model);
    const { limiter, breaker } = shared;
    const provider = model.settings.providerName;
    shared.providers.add(provider);
    const own = model.rateLimits.model;
    return {
      model: model.id,
      lane: laneOf(model, shared.lanes),
      provider,
      adapter,
      limiter,
      breaker: model.circuitBreaker === null ? null : breaker,
      countsTokens: [own, model.rateLimits.provider].some((limits) => (limits?.tokensPerMinute ?? null) !== null),
    };
  };

  const stopAt = ({ model, params, timeouts }: PlannedModel): Result<RouteStop> => {
    const endpoint = endpointOf(model);
    if (!endpoint.success) return endpoint;
    const { retry: policy, stream, pricing } = model;
    return success({ endpoint: endpoint.data, policy, params, timeouts, stream, pricing });
  };

  const routeThrough = (model: PlannedModel, fallbacks: readonly PlannedModel[]): Result<ModelRoute> => {
    const first = stopAt(model);
    if (!first.success) return first;
    const others: RouteStop[] = [];
    for (const fallback of fallbacks) {
      const stop = stopAt(fallback);
      if (!stop.success) return stop;
      others.push(stop.data);
    }
    return success([first.data, ...others]);
  };

  return {
    routeOf({ model, params, timeouts, fallbacks }) {
      return model === null ? success(null) : routeThrough({ model, params, timeouts }, fallbacks);
    },
    routeThrough: ([model, ...fallbacks]) => routeThrough(model, fallbacks),
    release: () => {
      for (const { limiter } of guards.values()) limiter.release(null);
    },
    settled: () =>
      [...guards.values()].flatMap(({ providers, limiter }) =>
        [...providers].map((provider) => ({ provider, ...limiter.settled })),
      ),
  };
}

/** Recordings are neither too fast nor down: nothing guards them, and nothing is waited for. */
function replayedEndpoint({ id, settings }: ResolvedModel, adapter: ModelEndpoint["adapter"]): ModelEndpoint {
  const { providerName: provider } = settings;
  return { model: id, lane: id, provider, adapter, limiter: null, breaker: null, countsTokens: false, isReplay: true };
}

/**
 * The name of the lane of a model: its id, or its id and a number, where another config has this id for another model
 * or guards it otherwise. Neither must suffer for what the other met.
 */
function laneOf({ id, settings, circuitBreaker, rateLimits }: ResolvedModel, lanes: SharedGuards["lanes"]): string {
  const lane: Lane = { circuitBreaker, rateLimits: rateLimits.model };
  const identity = JSON.stringify([settings.model, lane]);
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? id : `${id} (${number})`;
    const known = lanes.get(name);
    if (known === undefined) lanes.set(name, { ...lane, identity });
    if (known === undefined || known.identity === identity) return name;
  }
}

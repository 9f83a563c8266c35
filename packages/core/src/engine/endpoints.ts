import { builtinCircuitBreaker } from "../config/call-settings.js";
import type { ResolvedModel, CircuitBreakerSettings } from "../config/resolved-model.js";
import type { PlannedCase, PlannedModel, RunPlan } from "../plan/run-plan.js";
import type { ModelSettings } from "../providers/define-provider.js";
import { createCircuitBreaker, type CircuitBreaker } from "../resilience/circuit-breaker/create-circuit-breaker.js";
import { Limiter } from "../resilience/limiter/limiter.js";
import type { ModelEndpoint, ModelRoute, RouteTarget } from "../resilience/model-route.js";
import { success, type Result } from "../result.js";
import type { EnginePorts } from "./ports.js";
import type { SettledProvider } from "../summary/run-totals.js";

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

type EndpointsPlan = Pick<RunPlan, "concurrency" | "trialCount" | "suites">;

/** The models of a run, each with its adapter and what guards it. */
export class Endpoints {
  readonly #plan: EndpointsPlan;
  readonly #ports: EnginePorts;
  readonly #guards = new Map<string, SharedGuards>();
  // Two configs may use one id for different models, so the settings themselves distinguish them.
  readonly #endpoints = new Map<ModelSettings, Result<ModelEndpoint>>();

  constructor(plan: EndpointsPlan, ports: EnginePorts) {
    this.#plan = plan;
    this.#ports = ports;
  }

  /**
   * Where the calls of a case may go; null when its target asks no model of the config. The error: its model, or one
   * that replaces it, cannot be used.
   */
  routeOf({ model, params, timeouts, fallbacks }: PlannedCase): Result<ModelRoute | null> {
    return model === null ? success(null) : this.routeThrough([{ model, params, timeouts }, ...fallbacks]);
  }

  /** Where the calls for one role go: its model, then its fallbacks. */
  routeThrough([model, ...fallbacks]: readonly [PlannedModel, ...PlannedModel[]]): Result<ModelRoute> {
    const first = this.#resolveTarget(model);
    if (!first.success) return first;
    const others: RouteTarget[] = [];
    for (const fallback of fallbacks) {
      const target = this.#resolveTarget(fallback);
      if (!target.success) return target;
      others.push(target.data);
    }
    return success([first.data, ...others]);
  }

  /** Ends the wait of all calls that have not started, once all would be rejected. */
  release(): void {
    for (const { limiter } of this.#guards.values()) limiter.release(null);
  }

  /** What the limiters settled on, by provider. */
  settled(): readonly SettledProvider[] {
    return [...this.#guards.values()].flatMap(({ providers, limiter }) =>
      [...providers].map((provider) => ({ provider, ...limiter.settled })),
    );
  }

  #resolveTarget({ model, params, timeouts }: PlannedModel): Result<RouteTarget> {
    const endpoint = this.#endpointOf(model);
    if (!endpoint.success) return endpoint;
    const { retry: policy, stream, pricing } = model;
    return success({ endpoint: endpoint.data, policy, params, timeouts, stream, pricing });
  }

  #endpointOf(model: ResolvedModel): Result<ModelEndpoint> {
    const known = this.#endpoints.get(model.settings);
    if (known !== undefined) return known;
    const { cassette = null } = this.#ports;
    const adapter =
      cassette === null
        ? model.definition.create(model.settings, this.#ports)
        : cassette.openAdapter(model, this.#ports);
    const created = adapter.success ? success(this.#guarded(model, adapter.data)) : adapter;
    this.#endpoints.set(model.settings, created);
    return created;
  }

  #guarded(model: ResolvedModel, adapter: ModelEndpoint["adapter"]): ModelEndpoint {
    if (this.#ports.cassette?.isReplay === true) return replayedEndpoint(model, adapter);
    const { limiter, breaker, providers, lanes } = this.#guardsOf(model);
    const provider = model.settings.providerName;
    providers.add(provider);
    const own = model.rateLimits.model;
    return {
      model: model.id,
      servedAs: model.settings.model,
      lane: laneOf(model, lanes),
      provider,
      adapter,
      limiter,
      breaker: model.circuitBreaker === null ? null : breaker,
      countsTokens: [own, model.rateLimits.provider].some((limits) => (limits?.tokensPerMinute ?? null) !== null),
    };
  }

  #guardsOf({ definition, settings, rateLimits }: ResolvedModel): SharedGuards {
    const { env } = this.#ports;
    const provider = settings.providerName;
    const access = definition.inspect(settings, env);
    const keys = access?.keys.map((key) => env[key.env] ?? "") ?? [];
    // Limits are of the provider as the config has it: two of its names for one server may have different ones.
    const id = JSON.stringify([...(access === null ? [provider] : [access.baseUrl, ...keys]), rateLimits.provider]);
    let guards = this.#guards.get(id);
    if (guards === undefined) this.#guards.set(id, (guards = this.#createGuards(provider, rateLimits.provider)));
    return guards;
  }

  #createGuards(provider: string, limits: ResolvedModel["rateLimits"]["provider"]): SharedGuards {
    const { emit, clock } = this.#ports;
    const lanes: SharedGuards["lanes"] = new Map();
    const limiter = new Limiter(
      {
        concurrency: this.#plan.concurrency,
        expectedCalls: this.#plan.trialCount / providerCount(this.#plan.suites),
        ...(limits ?? unlimited),
        minuteLimitsOf: (lane) => lanes.get(lane)?.rateLimits ?? unlimited,
        onChange: ({ lane, ...change }) =>
          emit({ channel: "progress", type: "limiter", provider, model: lane, ...change }),
      },
      clock,
    );
    const breaker = createCircuitBreaker(
      (lane) => lanes.get(lane)?.circuitBreaker ?? builtinCircuitBreaker,
      clock,
      ({ to, ...change }) => {
        emit({ channel: "monitor", type: "breaker", provider, state: to, ...change });
        if (to === "open") limiter.release(change.model);
      },
    );
    return { providers: new Set(), lanes, limiter, breaker };
  }
}

/** How many providers share the trials of a run, at least 1. */
function providerCount(suites: RunPlan["suites"]): number {
  const providers = new Set<string>();
  for (const suite of suites) {
    if (suite.status === "broken") continue;
    for (const { models } of suite.source.tests) {
      for (const { settings } of models) providers.add(settings.providerName);
    }
  }
  return Math.max(1, providers.size);
}

/** Recordings are neither too fast nor down: nothing guards them, and nothing is waited for. */
function replayedEndpoint({ id, settings }: ResolvedModel, adapter: ModelEndpoint["adapter"]): ModelEndpoint {
  const { providerName: provider, model: servedAs } = settings;
  return {
    model: id,
    servedAs,
    lane: id,
    provider,
    adapter,
    limiter: null,
    breaker: null,
    countsTokens: false,
    isReplay: true,
  };
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

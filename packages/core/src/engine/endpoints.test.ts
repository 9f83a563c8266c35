import { describe, expect, it } from "vitest";
import { loadedProject } from "../__fixtures__/config-project.js";
import { createManualClock } from "../__fixtures__/manual-clock.js";
import { planRun } from "../plan/plan-run.js";
import { unidentified } from "../plan/identity/case-identity.js";
import type { ModelEndpoint, ModelRoute } from "../resilience/model-route.js";
import { Endpoints } from "./endpoints.js";
import { createUserModules } from "../modules/create-user-modules.js";
import { createMemoryTrialStore } from "./memory-trial-store.js";

/** The routes of the models, by the id of their first. */
async function routesOf(providers: string, models: readonly string[], env: Record<string, string> = {}) {
  const config = await loadedProject({
    "kindlm.yaml": `version: 1
providers: ${providers}
models: [${models.join(", ")}]
suites: [{ name: s, tests: [{ name: t, input: hi, assert: [{ type: contains, value: x }] }] }]
`,
  });
  const plan = planRun(config, { paths: [] });
  if (!plan.success) throw new Error(plan.error.message);
  const world = {
    clock: createManualClock(),
    trials: createMemoryTrialStore(),
    identify: () => unidentified,
    emit: () => {},
  };
  const unused = () => Promise.reject(new Error("Nothing is sent here"));
  const http = { send: unused, close: () => Promise.resolve() };
  const endpoints = new Endpoints(plan.data, {
    ...world,
    http,
    env,
    processes: { run: unused },
    modules: createUserModules(),
  });
  const routes = new Map<string, ModelRoute>();
  for (const planned of plan.data.cases()) {
    const route = endpoints.routeOf(planned);
    if (!route.success) throw new Error(route.error.message);
    if (route.data === null) throw new Error("no model");
    routes.set(planned.agentId, route.data);
  }
  return {
    endpointOf(model: string): ModelEndpoint {
      const route = routes.get(model);
      if (route === undefined) throw new Error(`No route for ${model}`);
      return route[0].endpoint;
    },
    routes,
  };
}

const local = "base_url: http://127.0.0.1:9, type: openai";

describe("Endpoints", () => {
  it("lets all models behind one address and key share a limiter and a circuit breaker", async () => {
    const providers = `{ a: { ${local}, api_key_env: KEY_A }, b: { ${local}, api_key_env: KEY_B }, c: { ${local} } }`;
    const models = ["a", "b", "c"].map((name) => `{ id: ${name}1, provider: ${name}, model: x }`);
    const more = "{ id: a2, provider: a, model: y }";
    const same = await routesOf(providers, [...models, more], { KEY_A: "one-key-abcdef", KEY_B: "one-key-abcdef" });
    expect(same.endpointOf("a1").limiter).toBe(same.endpointOf("b1").limiter);
    expect(same.endpointOf("a1").limiter).toBe(same.endpointOf("a2").limiter);
    expect(same.endpointOf("a1").breaker).toBe(same.endpointOf("a2").breaker);
    expect(same.endpointOf("a1").limiter).not.toBe(same.endpointOf("c1").limiter);
    const apart = await routesOf(providers, [...models, more], { KEY_A: "one-key-abcdef", KEY_B: "two-key-abcdef" });
    expect(apart.endpointOf("a1").limiter).not.toBe(apart.endpointOf("b1").limiter);
    expect(apart.endpointOf("a1").breaker).not.toBe(apart.endpointOf("b1").breaker);
  });

  it("makes each model once, with what its config says", async () => {
    const { endpointOf, routes } = await routesOf(`{ a: { ${local} } }`, [
      "{ id: plain, provider: a, model: x }",
      "{ id: counted, provider: a, model: x, tokens_per_minute: 5, circuit_breaker: false }",
      "{ id: backed, provider: a, model: x, fallback: [plain, counted], allow_fallback: true, stream: true }",
      "{ id: alone, provider: a, model: x, fallback: [plain] }",
    ]);
    expect(endpointOf("plain")).toMatchObject({ provider: "a", countsTokens: false });
    expect(endpointOf("plain").breaker).not.toBeNull();
    expect(endpointOf("counted")).toMatchObject({ countsTokens: true, breaker: null });
    const backed = routes.get("backed");
    expect(backed?.map(({ endpoint, stream }) => [endpoint.model, stream])).toEqual([
      ["backed", true],
      ["plain", false],
      ["counted", false],
    ]);
    expect(backed?.[1]?.endpoint).toBe(endpointOf("plain"));
    expect(routes.get("alone")).toHaveLength(1);
  });
});

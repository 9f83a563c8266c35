import { describe, expect, it } from "vitest";
import { makeProject } from "../__fixtures__/make-project.js";
import type { ChaosOutcome } from "../rehearsal/chaos-report.js";
import { chaosScenarios } from "../rehearsal/chaos-scenarios.js";
import { rehearseChaos } from "./rehearse-chaos.js";

interface Setup {
  model?: string;
  top?: string;
  cases?: number;
}

const configOf = ({ model = "", top = "", cases = 40 }: Setup): string => `version: 1
models:
  - { id: main, provider: openai, model: gpt-4.1-mini${model} }
  - { id: spare, provider: anthropic, model: claude-sonnet-4-5 }
defaults: { models: [main], concurrency: 8 }
${top}
suites:
  - name: s
    tests:
      - name: t
        rows: [${Array.from({ length: cases }, (_, index) => `{ id: c${index} }`).join(", ")}]
        input: hello {{id}}
        assert: [{ type: contains, value: what no rehearsal says }]
`;

async function rehearse(setup: Setup): Promise<(scenario: string) => ChaosOutcome> {
  const cwd = makeProject({ "kindlm.yaml": configOf(setup) });
  const rehearsed = await rehearseChaos({ paths: [] }, { env: {}, cwd });
  if (!rehearsed.success) throw new Error(rehearsed.error.message);
  const { outcomes } = rehearsed.data;
  expect(outcomes.map(({ scenario }) => scenario)).toEqual(chaosScenarios.map(({ name }) => name));
  return (scenario) => {
    const found = outcomes.find((outcome) => outcome.scenario === scenario);
    if (found === undefined) throw new Error(`No scenario ${scenario}`);
    return found;
  };
}

describe("rehearseChaos", () => {
  const usual = rehearse({});

  it("passes where the provider is well, without a key, a request or a wait", async () => {
    const of = await usual;
    expect(of("calm")).toMatchObject({ exitCode: 0, answered: 40, errored: 0, requests: 40, retries: 0, advice: [] });
  });

  it("lets the agent answer one message where a model would play the user", async () => {
    const more = `
      - { name: u, simulated_user: { goal: g, model: spare }, assert: [{ type: conversation_ended, by: goal }] }`;
    const cwd = makeProject({ "kindlm.yaml": configOf({ cases: 2 }).trimEnd() + more });
    const rehearsed = await rehearseChaos({ paths: [] }, { env: {}, cwd });
    const calm = rehearsed.success ? rehearsed.data.outcomes[0] : rehearsed.error;
    expect(calm).toMatchObject({ scenario: "calm", answered: 3, errored: 0, requests: 3 });
  });

  it("starts no server of tools, and loads none", async () => {
    const more = `    mcp_servers: [{ name: none, command: [no-such-program] }]
    tools: [{ module: ./broken.mjs }]
    tests:`;
    const cwd = makeProject({
      "kindlm.yaml": configOf({ cases: 2 }).replace("    tests:", more),
      "broken.mjs": 'throw new Error("loaded");',
    });
    const rehearsed = await rehearseChaos({ paths: [] }, { env: {}, cwd });
    const calm = rehearsed.success ? rehearsed.data.outcomes[0] : rehearsed.error;
    expect(calm).toMatchObject({ scenario: "calm", answered: 2, errored: 0, requests: 2 });
  });

  it("shows what each defence does", async () => {
    const of = await usual;
    expect(of("rate-limited")).toMatchObject({ answered: 40, errored: 0 });
    expect(of("flaky").retries).toBeGreaterThan(0);
    expect(of("dead")).toMatchObject({ answered: 0, errored: 40, circuitOpened: 1, exitCode: 1 });
    expect(of("dead").requests).toBeLessThanOrEqual(8 + 5);
    expect(of("bad key").requests).toBeLessThanOrEqual(8);
    expect(of("bad key").errorsByCode).toHaveProperty("PROVIDER_AUTH_ERROR");
    expect(of("long wait")).toMatchObject({ answered: 0, errorsByCode: { PROVIDER_RATE_LIMIT: 40 } });
    // Nobody waits for a day, nor again and again.
    expect(of("long wait").durationMs).toBeLessThan(120_000);
    expect(of("no credit")).toMatchObject({ retries: 0, errorsByCode: { PROVIDER_API_ERROR: 40 } });
  });

  it("follows the config: presets, breaker, gates", async () => {
    const disabled = await rehearse({ top: "retry: disabled", cases: 12 });
    expect(disabled("flaky").errored).toBeGreaterThan(0);
    expect(disabled("flaky").advice.join()).toContain("retry: aggressive");
    const production = await rehearse({ top: "retry: { preset: production, max_attempts: 8 }", cases: 20 });
    expect(production("failing")).toMatchObject({ errored: 0, answered: 20 });
    const unguarded = await rehearse({ top: "circuit_breaker: false", cases: 12 });
    expect(unguarded("dead")).toMatchObject({ requests: 36, circuitOpened: 0 });
    expect(unguarded("dead").advice.join()).toContain("circuit_breaker would have stopped early");
    // No assertion is evaluated, so judges have no score that a gate could read.
    const lenient = await rehearse({ top: "exit_on: gates\ngates: { errored: 12, judge_avg: 1 }", cases: 12 });
    expect(lenient("dead")).toMatchObject({ exitCode: 0, trippedGates: [] });
    expect(lenient("dead").advice.join()).toContain("the exit code would be 0 although 12 tests errored");
  });

  it("lets fallbacks answer, which stay well", async () => {
    const of = await rehearse({ model: ", fallback: [spare], allow_fallback: true", cases: 20 });
    for (const scenario of ["outage", "dead", "long wait"]) {
      expect(of(scenario)).toMatchObject({ answered: 20, errored: 0 });
      expect(of(scenario).fallbacks).toBeGreaterThan(15);
    }
    expect(of("bad key").fallbacks).toBe(0);
  });

  it("is the same each time", async () => {
    const [first, second] = [await rehearse({ cases: 12 }), await rehearse({ cases: 12 })];
    for (const { name } of chaosScenarios) expect(first(name)).toEqual(second(name));
  });

  it("rehearses the first cases of a large run", async () => {
    const cwd = makeProject({ "kindlm.yaml": configOf({ top: "retry: disabled", cases: 250 }) });
    const rehearsed = await rehearseChaos({ paths: [], bail: 1 }, { env: {}, cwd });
    expect(rehearsed).toMatchObject({ success: true, data: { cases: 200, totalCases: 250 } });
    const calm = rehearsed.success ? rehearsed.data.outcomes[0] : null;
    expect(calm).toMatchObject({ scenario: "calm", requests: 200 });
  });

  it("fails where a run would not start, and when it is interrupted", async () => {
    const cwd = makeProject({ "kindlm.yaml": configOf({}) });
    expect(await rehearseChaos({ paths: ["missing.yaml"] }, { env: {}, cwd })).toMatchObject({
      error: { code: "CONFIG_NOT_FOUND" },
    });
    expect(await rehearseChaos({ paths: [] }, { env: {}, cwd, signal: AbortSignal.abort() })).toMatchObject({
      error: { code: "ENGINE_ABORTED" },
    });
  });
});

import { describe, expect, it } from "vitest";
import { loadedProject, loadProject, renderAll, renderDiagnostic } from "../__fixtures__/config-project.js";
import type { ResolvedModel } from "./resolved-model.js";

interface Setup {
  top?: string;
  providers?: string;
  models: string;
  use?: string;
}

const configOf = ({ top = "", providers = "{}", models, use = "[main]" }: Setup): string => `version: 1
${top}
providers: ${providers}
models: [${models}]
defaults: { models: ${use} }
suites: [{ name: s, tests: [{ name: t, input: hi, assert: [{ type: contains, value: x }] }] }]
`;

async function modelOf(setup: Setup): Promise<ResolvedModel> {
  const config = await loadedProject({ "kindlm.yaml": configOf(setup) });
  const [suite] = config.suites;
  const model = suite?.status === "ready" ? suite.tests[0]?.models[0] : undefined;
  if (model === undefined) throw new Error("No model");
  return model;
}

async function warningsOf(setup: Setup): Promise<readonly string[]> {
  const config = await loadedProject({ "kindlm.yaml": configOf(setup) });
  return config.warnings.map(renderDiagnostic);
}

async function problemsOf(setup: Setup): Promise<string> {
  const loaded = await loadProject({ "kindlm.yaml": configOf(setup) });
  if (loaded.success) throw new Error("It was loaded");
  return renderAll(loaded.error).join("\n");
}

const main = (more = ""): string => `{ id: main, provider: openai, model: gpt-4.1-mini${more} }`;
const spare = "{ id: spare, provider: anthropic, model: claude-sonnet-4-5 }";

describe("how calls are made", () => {
  it("has built-in values", async () => {
    expect(await modelOf({ models: main() })).toMatchObject({
      retry: { maxAttempts: 3, initialDelayMs: 1_000 },
      circuitBreaker: { failures: 5, resetMs: 60_000 },
      fallback: [],
      allowsFallback: false,
      rateLimits: { model: null, provider: null },
      stream: false,
    });
  });

  it("comes from the model, else the provider, else the top level", async () => {
    const top = "retry: conservative\nstream: true\ncircuit_breaker: false\nrequests_per_minute: 10";
    expect(await modelOf({ top, models: main() })).toMatchObject({
      retry: { initialDelayMs: 2_000 },
      stream: true,
      circuitBreaker: null,
      rateLimits: { model: null, provider: { requestsPerMinute: 10, tokensPerMinute: null } },
    });
    const providers = "{ openai: { retry: disabled, circuit_breaker: { failures: 2 }, tokens_per_minute: 500 } }";
    expect(await modelOf({ top, providers, models: main() })).toMatchObject({
      retry: { maxAttempts: 1 },
      circuitBreaker: { failures: 2, resetMs: 60_000 },
      rateLimits: { model: null, provider: { requestsPerMinute: 10, tokensPerMinute: 500 } },
    });
    const own = ", retry: production, stream: false, circuit_breaker: { reset: 1s }, requests_per_minute: 3";
    expect(await modelOf({ top, providers, models: main(own) })).toMatchObject({
      retry: { jitter: 0.2 },
      stream: false,
      circuitBreaker: { failures: 5, resetMs: 1_000 },
      // The limit of a model holds beside that of its provider.
      rateLimits: { model: { requestsPerMinute: 3 }, provider: { requestsPerMinute: 10, tokensPerMinute: 500 } },
    });
  });

  it.each([
    ["circuit_breaker: off", "circuit_breaker"],
    ["circuit_breaker: { failures: 0 }", "failures"],
    ["requests_per_minute: 0", "requests_per_minute"],
    ["tokens_per_minute: 1.5", "tokens_per_minute"],
    ["stream: sometimes", "stream"],
    ["fallback: spare", "fallback"],
    ["circuit_braker: {}", 'Did you mean "circuit_breaker"?'],
    ["alow_fallback: true", 'Did you mean "allow_fallback"?'],
  ])("refuses %s", async (top, named) => {
    expect(await problemsOf({ top, models: main() })).toContain(named);
  });
});

describe("fallback", () => {
  it("names models of the config, and others by provider:model", async () => {
    const own = ", allow_fallback: true, fallback: [spare, 'mistral:mistral-small-latest', spare]";
    const model = await modelOf({ models: `${main(own)}, ${spare}` });
    expect(model.fallback.map(({ id }) => id)).toEqual(["spare", "mistral:mistral-small-latest"]);
    expect(model.fallback[0]?.settings.providerName).toBe("anthropic");
  });

  it("may stand before the models that it names, and is not followed further", async () => {
    const models = [
      main(", allow_fallback: true, fallback: [spare]"),
      "{ id: spare, provider: openai, model: a, allow_fallback: true, fallback: [main, third] }",
      "{ id: third, provider: openai, model: b }",
    ];
    expect((await modelOf({ models: models.join(", ") })).fallback.map(({ id }) => id)).toEqual(["spare"]);
  });

  it("of the top level leaves out the model itself", async () => {
    const top = "fallback: [main, spare]\nallow_fallback: true";
    expect((await modelOf({ top, models: `${main()}, ${spare}` })).fallback.map(({ id }) => id)).toEqual(["spare"]);
    expect(await warningsOf({ top, models: `${main()}, ${spare}` })).toEqual([]);
  });

  it.each([
    ["[spar]", 'Unknown model "spar" | Did you mean "spare"?'],
    ["[main]", 'Model "main" lists itself under fallback | Remove it'],
    ["['nobody:x']", 'Unknown provider "nobody"'],
  ])("refuses %s where it stands", async (names, words) => {
    const own = `, allow_fallback: true, fallback: ${names}`;
    const problems = await problemsOf({ models: `${main(own)}, ${spare}` });
    expect(problems).toContain(words);
    expect(problems).toMatch(/kindlm\.yaml:4:\d+/);
    expect(problems.split("\n")).toHaveLength(1);
  });

  it("is reported once where many models inherit it", async () => {
    const models = `${main()}, ${spare}, { id: third, provider: openai, model: x }`;
    const top = "fallback: [nobody]\nallow_fallback: true";
    expect((await problemsOf({ top, models })).split("\n")).toHaveLength(1);
    const warnings = await warningsOf({ top: "fallback: [spare]", models });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('"fallback" does nothing for a model under test unless allow_fallback is true');
  });
});

describe("a limit on money", () => {
  const local = "{ id: main, provider: ollama, model: llama3.3 }";

  it("warns of models whose price is not known", async () => {
    const top = "limits: { max_cost: 1 }";
    expect(await warningsOf({ top, models: local })).toEqual([
      `warning kindlm.yaml:2:11 "max_cost" does not count the calls to "main": their price is not known | Give the model a pricing: { input, output } in US dollars per million tokens`,
    ]);
    expect(await warningsOf({ top, models: main() })).toEqual([]);
    const priced = local.replace(" }", ", pricing: { input: 0, output: 0 } }");
    expect(await warningsOf({ top, models: priced })).toEqual([]);
    expect(await warningsOf({ models: local })).toEqual([]);
  });
});

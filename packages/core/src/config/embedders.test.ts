import { describe, expect, it } from "vitest";
import { loadedProject, loadProject, renderAll, renderDiagnostic, testsOf } from "../__fixtures__/config-project.js";
import { modelsInUse } from "../doctor/collect-endpoints.js";

const embedded = "{ type: similar, reference: r, method: embedding }";

interface Written {
  defaults?: string;
  suite?: string;
  test?: string;
  assert?: string;
}

const written = ({ defaults = "{}", suite = "", test = "", assert = embedded }: Written): string => `version: 1
models:
  - { id: gpt, provider: openai, model: gpt-4.1-mini }
  - { id: small, provider: openai, model: text-embedding-3-small }
  - { id: claude, provider: anthropic, model: claude-sonnet-4-5 }
defaults: ${defaults}
suites:
  - name: s
    tests:
      - name: t
        input: hi
        ${test}
        assert: [${assert}]
    ${suite}
`;

async function problemsOf(config: Written): Promise<readonly string[]> {
  const outcome = await loadProject({ "kindlm.yaml": written(config) });
  return outcome.success ? outcome.data.warnings.map(renderDiagnostic) : renderAll(outcome.error);
}

describe("the embedding model of an assertion", () => {
  it.each<[what: string, config: Written, embedders: Record<string, string>]>([
    ["that of the defaults", { defaults: "{ embedder: small }" }, { null: "small" }],
    [
      "that of the suite before it",
      { defaults: "{ embedder: mistral:m }", suite: "embedder: small" },
      { null: "small" },
    ],
    ["that of the test before both", { suite: "embedder: mistral:m", test: "embedder: small" }, { null: "small" }],
    [
      "its own before all of them",
      { test: "embedder: mistral:m", assert: "{ type: drift, method: embedding, model: small }" },
      { small: "small" },
    ],
    ["in a group", { defaults: "{ embedder: small }", assert: `{ any_of: [${embedded}] }` }, { null: "small" }],
    ["none where nobody asks", { defaults: "{ embedder: small }", assert: "{ type: similar, reference: r }" }, {}],
  ])("is %s", async (_what, config, embedders) => {
    const [test] = testsOf(await loadedProject({ "kindlm.yaml": written(config) }));
    expect(
      Object.fromEntries([...(test?.embedders ?? [])].map(([name, { model }]) => [String(name), model.id])),
    ).toEqual(embedders);
    expect([...(test?.judges ?? [])]).toEqual([]);
  });

  it("is never under test where nothing says so, and needs its server as the others do", async () => {
    const config = await loadedProject({ "kindlm.yaml": written({ defaults: "{ embedder: small }" }) });
    const ids = testsOf(config).map(({ models }) => models.map(({ id }) => id));
    expect(ids).toEqual([["gpt", "claude"]]);
    expect(modelsInUse(config).map(({ id }) => id)).toEqual(["gpt", "claude", "small"]);
  });
});

describe("what is wrong with an embedding model", () => {
  it.each<[what: string, config: Written, problem: string]>([
    ["none is named", {}, "This assertion needs an embedding model, but none is set"],
    [
      "its provider has none",
      { defaults: "{ embedder: claude }" },
      '"claude" cannot create embeddings: KindLM supports none of Anthropic | Providers with embeddings: openai, gemini, mistral, cohere, ollama, azure, scripted',
    ],
    ["it is unknown", { test: "embedder: smal" }, 'Unknown model "smal" | Did you mean "small"?'],
    ["it is named where none is asked", { assert: "{ type: similar, reference: r, model: small }" }, "calls no model"],
    ["a judge is no embedding model", { defaults: "{ judge: small }" }, "needs an embedding model, but none is set"],
  ])("reports: %s", async (_what, config, problem) => {
    const problems = await problemsOf(config);
    expect(problems.join("\n")).toContain(problem);
    expect(problems).toHaveLength(1);
  });
});

import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { compareWithBaselines, removeBaselines, setBaselines } from "../packages/core/dist/commands/baselines.js";
import { verifyCassettes } from "../packages/core/dist/commands/cassettes.js";
import { mergeRuns } from "../packages/core/dist/commands/merge-runs.js";
import { rescoreRun } from "../packages/core/dist/commands/rescore-run.js";
import { runDoctor } from "../packages/core/dist/commands/run-doctor.js";
import {
  runTests,
  validateConfig,
  type AssertionConfig,
  type KindlmConfig,
  type Result,
} from "../packages/core/dist/index.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { sharedModules } from "../packages/core/src/__fixtures__/shared-modules.js";
import { startServer } from "../packages/core/src/__fixtures__/start-server.js";

const coreUrl = createRequire(import.meta.url).resolve("../packages/core/dist/index.js");

const dataOf = <T>(result: Result<T>): T => {
  if (!result.success) throw new Error(JSON.stringify(result.error));
  return result.data;
};

const reply = (content: string): string =>
  JSON.stringify({ model: "x", choices: [{ message: { role: "assistant", content }, finish_reason: "stop" }] });

describe("a config object", () => {
  it("has cassettes, baselines, shards, and runs to score again, as a file has", async () => {
    let answer = "hello";
    const server = await startServer((_request, response) => void response.end(reply(answer)));
    const world = { env: { LOCAL_KEY: "k" }, cwd: makeProject({}) };
    const configOf = (value: string): KindlmConfig => ({
      version: 1,
      providers: { local: { type: "openai", base_url: `${server.url}/v1`, api_key_env: "LOCAL_KEY" } },
      models: [{ id: "m", provider: "local", model: "x" }],
      gates: { regressions: 0 },
      suites: [
        {
          name: "s",
          runs: 3,
          tests: ["a", "b", "c", "d", "e", "f", "g", "h"].map((name) => ({
            name,
            input: `hi ${name}`,
            assert: [{ type: "contains", value }],
          })),
        },
      ],
    });
    const config = configOf("hello");
    expect(dataOf(await runTests({ config, cassette: "record" }, world)).verdict).toBe("passed");
    const recorded = server.requests.length;
    expect(dataOf(await runTests({ config, cassette: "replay" }, world)).verdict).toBe("passed");
    expect(server.requests).toHaveLength(recorded);
    expect(dataOf(await verifyCassettes({ config }, world)).flatMap(({ problems }) => problems)).toEqual([]);

    expect(dataOf(await setBaselines({ config }, world)).suites).toMatchObject([
      { suite: "s", file: ".kindlm/baselines/s.json" },
    ]);
    answer = "bye";
    const worse = dataOf(await runTests({ config }, world));
    expect([worse.verdict, worse.comparison?.verdict]).toEqual(["failed", "regressed"]);
    expect(dataOf(await compareWithBaselines({ config }, world)).comparison?.verdict).toBe("regressed");
    expect(dataOf(await removeBaselines({ config, suites: ["s"] }, world))).toEqual([".kindlm/baselines/s.json"]);

    const again = { run: worse.run.id, config: configOf("bye") };
    expect(dataOf(await rescoreRun(again, world)).summary).toMatchObject({ passed: 8 });
    expect(await rescoreRun({ run: worse.run.id }, world)).toMatchObject({
      error: { message: "The run was started with a config object, and needs it again as config" },
    });
    const parts = [];
    for (const index of [1, 2]) parts.push(dataOf(await runTests({ config, shard: { index, of: 2 } }, world)).run.id);
    expect(dataOf(await mergeRuns({ config, runs: parts }, world)).summary).toMatchObject({ total: 8, failed: 8 });
  });

  it("is named in the checks of the surroundings, with providers that are modules", async () => {
    const cwd = makeProject({
      "ext.mjs": `import { defineProvider } from ${JSON.stringify(coreUrl)};
export const acme = defineProvider({ type: "acme", options: { base_url: { type: "string" }, api_key: { type: "string" } }, complete: () => ({ text: "hi" }) });`,
    });
    const config: KindlmConfig = {
      version: 1,
      extensions: ["ext.mjs"],
      providers: { staging: { type: "acme", base_url: "http://127.0.0.1:1", api_key: "${ACME_KEY}" } },
      suites: [
        {
          name: "s",
          models: ["staging:x"],
          tests: [{ name: "t", input: "hi", assert: [{ type: "contains", value: "h" }] }],
        },
      ],
    };
    const checked = dataOf(
      await runDoctor(
        { config, nodeVersion: "v22.18.0" },
        { env: { ACME_KEY: "k-1234567" }, cwd, openModules: sharedModules },
      ),
    );
    const found = checked.checks
      .filter(({ name }) => name === "config" || name === "server")
      .map(({ message }) => message);
    expect(found).toEqual(["config object: 1 suite, 1 test, 1 model", "a module answers, nothing to check"]);
  });
});

describe("what extensions register", () => {
  it("has types that a program declares", async () => {
    const polite: AssertionConfig = { any_of: [{ type: "is_polite", language: "en", weight: 2 }] };
    const cwd = makeProject({
      "ext.mjs": `import { defineAssertion, defineProvider, defineTarget } from ${JSON.stringify(coreUrl)};
const text = { type: "string" };
export const polite = defineAssertion({ type: "is_polite", options: { language: text }, evaluate: () => true });
export const acme = defineProvider({ type: "acme", options: { base_url: text, api_key: text }, complete: () => ({}) });
export const shop = defineTarget({ type: "shop", options: { branch: text }, run: () => "hi" });`,
    });
    const config: KindlmConfig = {
      version: 1,
      extensions: ["ext.mjs"],
      providers: { staging: { type: "acme", base_url: "http://127.0.0.1:1", api_key: "k", retry: "disabled" } },
      suites: [
        {
          name: "s",
          target: { shop: { branch: "north" }, id: "store" },
          tests: [{ name: "t", input: "Where is it?", assert: [polite] }],
        },
      ],
    };
    const result = dataOf(await runTests({ config, journal: false }, { env: {}, cwd, openModules: sharedModules }));
    expect(result.suites.flatMap(({ tests }) => tests)).toMatchObject([{ id: "s/t@store", status: "passed" }]);
    const wrong: KindlmConfig = {
      ...config,
      suites: [
        // @ts-expect-error the language is not one of the two
        { name: "s", tests: [{ name: "t", input: "hi", assert: [{ type: "is_polite", language: "fr" }] }] },
        // @ts-expect-error the option is misspelled
        { name: "u", target: { shop: { brunch: "x" } }, tests: [{ name: "t", input: "hi", assert: [polite] }] },
      ],
      // @ts-expect-error an option is missing
      providers: { staging: { type: "acme", base_url: "http://127.0.0.1:1" } },
    };
    const validated = await validateConfig({ config: wrong }, { env: {}, cwd, openModules: sharedModules });
    expect(validated).toMatchObject({ success: false, error: { code: "CONFIG_VALIDATION_ERROR" } });
  });
});

import { describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { readPage } from "./support/docs/pages.js";
import { runCli } from "./support/run-cli.js";

const headings = [...readPage("docs/troubleshooting.md").matchAll(/^### (.*)$/gm)].map(([, heading = ""]) => heading);

const config = (test: object, { model = {}, ...top }: Readonly<Record<string, object | string>> = {}): string =>
  JSON.stringify({
    version: 1,
    models: [{ id: "gpt", provider: "scripted", script: { otherwise: { json: { total: 49.99 } } }, ...Object(model) }],
    suites: [
      {
        name: "orders",
        tools: [{ name: "lookup", default: { return: "ok" } }],
        tests: [{ name: "t", input: "Hi", assert: [{ type: "contains", value: "x" }], ...test }],
      },
    ],
    ...top,
  });

const files = { "semi.csv": "id;total\n1;49.99\n", "comma.csv": "id,total\n1,49.99\n" };
const total = { assert: [{ type: "json", value: { total: "{{total}}" } }] };
const openai = { model: { provider: "openai", model: "gpt-4.1-mini", script: undefined } };
const closed = { ...openai, providers: { openai: { base_url: "http://127.0.0.1:9/v1", retry: { max_attempts: 1 } } } };
const calling = {
  rules: [{ when: { turn: 1 }, reply: { tool_calls: [{ tool: "lookup" }] } }],
  otherwise: { text: "x" },
};

describe("docs/troubleshooting.md names messages that KindLM prints:", () => {
  it.each<[string, string | null, readonly string[]]>([
    ["No kindlm.yaml in this folder or above", null, []],
    ["Unknown placeholder {{ordr}}", config({ input: "{{ordr}}" }), []],
    ["The header has 1 column; it looks separated by ;", config({ ...total, dataset: "semi.csv" }), []],
    ['No case matches "nothing"', config({}), ["-t", "nothing"]],
    ['expected to match {total: "49.99"}, but total is 49.99', config({ ...total, dataset: "comma.csv" }), []],
    ["OpenAI API key is invalid or missing", config({}, openai), []],
    ["Failed to connect to OpenAI: connect ECONNREFUSED 127.0.0.1:9", config({}, closed), []],
    [
      "The trial took longer than 40 ms",
      config({ timeouts: { trial: "40ms" } }, { model: { script: { otherwise: { hang: true } } } }),
      [],
    ],
    [
      'The fault "error:lookup" never fired',
      config({ faults: [{ tool: "lookup", kind: "error", call: 2 }] }, { model: { script: calling } }),
      [],
    ],
    ["No recording of this request to openai (gpt-4.1-mini)", config({}, openai), ["--cassette", "replay"]],
  ])("%s", async (message, text, args) => {
    const cwd = makeProject({ ...files, ...(text === null ? {} : { "kindlm.yaml": text }) });
    const { stdout, stderr } = await runCli(["test", ...args], { cwd, env: { COLUMNS: "400" } });
    expect(`${stdout}${stderr}`.replaceAll(/\s+/g, " ")).toContain(message);
    const withoutFigures = (one: string): string => one.replaceAll(/\d+(?: m?s)?$/g, "");
    expect(headings.map(withoutFigures)).toContain(withoutFigures(message));
  });
});

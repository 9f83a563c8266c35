import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listCases, runTests, type Diagnostic, type RunResult, type TrialResult } from "../packages/core/dist/index.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { sharedModules } from "../packages/core/src/__fixtures__/shared-modules.js";

const coreUrl = createRequire(import.meta.url).resolve("../packages/core/dist/index.js");

const extension = `import { defineProvider, defineTarget } from ${JSON.stringify(coreUrl)};
const thrown = (message, fault) => { throw Object.assign(new Error(message), fault); };
const answers = {
  plain: ({ messages, tools, params }, { options }) => ({
    text: [options.greeting, options.most, messages.at(-1).content, params.temperature].join(),
    usage: { inputTokens: 3, outputTokens: 2 }, model: "served", requestId: "r-1", finishReason: "stop",
  }),
  calls: ({ messages }) => messages.at(-1).role === "tool"
    ? { text: "It says " + messages.at(-1).content }
    : { toolCalls: [{ tool: "look", args: { id: 1 } }] },
  nonsense: () => ({ text: "x", usage: { inputTokens: -1, outputTokens: 1e12 }, finishReason: "because" }),
  busy: (_request, { origin }) => origin.attempt < 3 ? thrown("busy", { retryable: true, retryAfterMs: 7 }) : { text: "at last" },
  limited: (_request, { origin }) => origin.attempt < 2 ? thrown("slow", { status: 429, retryAfterMs: 3 }) : { text: "at last" },
  refused: () => thrown("no key", { status: 401 }),
  throws: () => thrown("no way"),
  hangs: () => new Promise(() => {}),
  exits: () => process.exit(0),
  changes: (request) => { request.messages.push(1); },
  misspelled: () => ({ txt: "x" }),
  nothing: () => undefined,
  numbers: () => ({ text: 3 }),
  unnamed: () => ({ toolCalls: [{ name: "look" }] }),
};
export const mine = defineProvider({
  type: "mine",
  label: "Mine",
  options: { greeting: { type: "string", default: "hi" }, most: { type: "integer", required: false }, key: { type: "string", required: false } },
  complete: (request, context) => answers[request.model](request, context),
});
export const shop = defineTarget({
  type: "shop",
  options: { language: { type: "string", enum: ["en", "de"] } },
  run: (input, { options }) => input === "hang" ? new Promise(() => {}) : input === "throw" ? thrown("closed") : options.language + input,
});
`;

const projectOf = (config: string, files: Record<string, string> = {}): string =>
  makeProject({ "ext.mjs": extension, "kindlm.yaml": `version: 1\nextensions: [ext.mjs]\n${config}`, ...files });

async function run(cwd: string, more: object = {}): Promise<RunResult> {
  const ran = await runTests({ ...more }, { env: { MINE_KEY: "k-9f27c0aa41" }, cwd, openModules: sharedModules });
  if (!ran.success) throw new Error(JSON.stringify(ran.error));
  return ran.data;
}

async function trialsOf(result: RunResult): Promise<ReadonlyMap<string, TrialResult>> {
  const trials = new Map<string, TrialResult>();
  for await (const trial of result.trials()) trials.set(trial.caseId.slice(4), trial);
  return trials;
}

async function problemsOf(cwd: string): Promise<readonly Diagnostic[]> {
  const listed = await listCases({}, { env: {}, cwd, openModules: sharedModules });
  if (listed.success) return listed.data.diagnostics;
  const { error } = listed;
  const { diagnostics } = (error.details ?? {}) as { diagnostics?: readonly Diagnostic[] };
  return diagnostics ?? [];
}

const asking = (models: readonly string[], more = ""): string => `retry: { max_attempts: 3, initial_delay: 1ms }
circuit_breaker: false
${more}suites:
  - name: s
    models: [${models.map((name) => JSON.stringify(name)).join(", ")}]
    tools: [{ name: look, default: { return: { found: true } } }]
    tests: [{ name: t, input: hello, params: { temperature: 0 }, assert: [{ type: length, min: 1 }] }]
`;

describe("a provider that a module registers", () => {
  it("answers as any other does, with the options of its entry", async () => {
    const more = `providers: { loud: { type: mine, greeting: HELLO, most: 3, key: "\${MINE_KEY}" } }
models: [{ id: priced, provider: loud, model: plain, pricing: { input: 1, output: 1 } }]
`;
    const trials = await trialsOf(
      await run(projectOf(asking(["mine:plain", "priced", "mine:calls", "mine:nonsense"], more))),
    );
    expect(trials.get("mine:plain")).toMatchObject({ output: "hi,,hello,0", servedBy: "served", finishReason: "stop" });
    expect(trials.get("mine:plain")?.turns[0]?.attempts).toMatchObject([{ requestId: "r-1", provider: "mine" }]);
    expect(trials.get("priced")).toMatchObject({ output: "HELLO,3,hello,0", costUsd: 0.000005 });
    expect(trials.get("mine:calls")).toMatchObject({ output: 'It says {"found":true}' });
    expect(trials.get("mine:calls")?.toolCalls).toMatchObject([{ tool: "look", args: { id: 1 } }]);
    // What no request can have counts as unknown, whoever says it.
    expect(trials.get("mine:nonsense")).toMatchObject({ turns: [{ usage: null, finishReason: "other" }] });
  });

  it("is tried again if it says that it may work, and holds up or ends nothing", async () => {
    const models = ["busy", "limited", "throws", "changes", "misspelled", "nothing", "numbers", "unnamed", "exits"];
    const more = `providers: { closed: { type: mine } }
models: [{ id: hangs, provider: mine, model: hangs, timeouts: { request: 50ms } }]
`;
    const names = [...models.map((name) => `mine:${name}`), "closed:refused", "hangs"];
    const trials = await trialsOf(await run(projectOf(asking(names, more)), { concurrency: 1 }));
    const outcomes = [...trials.values()].map(({ error, turns }) => [
      error?.code,
      error?.message,
      turns[0]?.attempts.length,
    ]);
    expect(outcomes).toEqual([
      [undefined, undefined, 3],
      [undefined, undefined, 2],
      ["PROVIDER_API_ERROR", "Mine returned 500: The provider threw: no way", 1],
      ["PROVIDER_API_ERROR", expect.stringContaining("The provider threw: Cannot add property"), 1],
      ["PROVIDER_API_ERROR", expect.stringContaining('the key "txt", which is not part of an answer'), 1],
      ["PROVIDER_API_ERROR", expect.stringContaining("a body that is not a JSON object"), 1],
      ["PROVIDER_API_ERROR", expect.stringContaining('a "text" that is 3, which is not a string'), 1],
      ["PROVIDER_API_ERROR", expect.stringContaining('a tool call without the name of a "tool"'), 1],
      ["PROVIDER_API_ERROR", "Mine returned 500: The provider called process.exit(0)", 1],
      ["PROVIDER_AUTH_ERROR", "closed API key is invalid or missing. Check the options of the provider.", 1],
      ["PROVIDER_TIMEOUT", "Mine request timed out after 50ms", 3],
    ]);
    expect(trials.get("mine:busy")?.turns[0]?.attempts[0]).toMatchObject({ error: { details: { retryAfterMs: 7 } } });
    expect(trials.get("mine:limited")?.turns[0]?.attempts[0]?.error?.code).toBe("PROVIDER_RATE_LIMIT");
  });

  it("is recorded and replayed like a server", async () => {
    const cwd = projectOf(asking(["mine:plain", "mine:throws"]));
    await run(cwd, { cassette: "record" });
    writeFileSync(
      join(cwd, "ext.mjs"),
      extension.replace('thrown("no way")', '({ text: "now" })').replace('"served"', '"other"'),
    );
    const trials = await trialsOf(await run(cwd, { cassette: "replay" }));
    expect(trials.get("mine:plain")).toMatchObject({
      output: "hi,,hello,0",
      servedBy: "served",
      turns: [{ replayed: true }],
    });
    expect(trials.get("mine:throws")?.error?.message).toBe("Mine returned 500: The provider threw: no way");
  });

  it("makes another agent of its cases once its options or its module change", async () => {
    const entries = "providers: { loud: { type: mine, greeting: HELLO }, low: { type: mine, greeting: hello } }\n";
    const cwd = projectOf(asking(["loud:plain", "low:plain"], entries));
    const hashesIn = async (): Promise<readonly string[]> =>
      (await run(cwd)).suites.flatMap(({ tests }) => tests.map((test) => ("agentHash" in test ? test.agentHash : "")));
    const hashes = await hashesIn();
    writeFileSync(join(cwd, "ext.mjs"), `${extension}// changed`);
    expect(new Set([...hashes, ...(await hashesIn())]).size).toBe(4);
  });
});

const talking = (targets: readonly string[]): string => `suites:
${targets
  .map(
    (target, index) => `  - name: s${index}
    target: ${target}
    timeouts: { trial: ${index === 3 ? "200ms" : "30s"} }
    tests: [{ name: t, input: ${["hi", "hi", "throw", "hang"][index]}, assert: [{ type: contains, value: hi }] }]
`,
  )
  .join("")}`;

describe("a target that a module registers", () => {
  it("is asked with its options, under its own name", async () => {
    const cwd = projectOf(
      talking([
        "{ shop: { language: en } }",
        "{ shop: { language: de }, id: store }",
        ...Array(2).fill("{ shop: { language: en } }"),
      ]),
    );
    const result = await run(cwd);
    const tests = result.suites.flatMap((suite) => suite.tests);
    expect(tests.map(({ id, status }) => [id, status])).toEqual([
      ["s0/t@shop", "passed"],
      ["s1/t@store", "passed"],
      ["s2/t@shop", "errored"],
      ["s3/t@shop", "errored"],
    ]);
    const trials = [];
    for await (const trial of result.trials()) trials.push(trial.output === "" ? trial.error?.message : trial.output);
    expect(trials).toEqual([
      "enhi",
      "dehi",
      expect.stringContaining("threw: closed"),
      expect.stringContaining("longer than 200 ms"),
    ]);
    const hashes = tests.map((test) => ("agentHash" in test ? test.agentHash : ""));
    expect(new Set(hashes.slice(0, 2)).size).toBe(2);
    expect(hashes[2]).toBe(hashes[0]);
  });
});

describe("the config", () => {
  it("reports what is wrong with the options, and each misspelled name, at its place", async () => {
    const cwd = projectOf(`providers: { loud: { type: mine, greting: x }, low: { type: mien } }
models: [{ id: a, provider: loud, model: x }, { id: b, provider: mien, model: x }]
suites:
  - { name: s, target: { shop: { language: fr } }, tests: [{ name: t, input: hi, assert: [{ type: contains, value: x }] }] }
  - { name: u, target: { shp: { language: en } }, tests: [{ name: t, input: hi, assert: [{ type: contains, value: x }] }] }
  - { name: v, tests: [{ name: t, target: { shop: { langage: en } }, input: hi, assert: [{ type: contains, value: x }] }] }
  - { name: w, models: ["mne:x"], tests: [{ name: t, input: hi, assert: [{ type: contains, value: x }] }] }
`);
    const said = (await problemsOf(cwd)).map(({ position, message, hint = "" }) => [position?.line, message, hint]);
    expect(said).toEqual([
      [3, 'Unknown key "greting"', 'Did you mean "greeting"?'],
      [3, 'Unknown provider "mien"', 'Did you mean "mine"?'],
      [4, 'Unknown provider "mien"', 'Did you mean "mine"?'],
      [6, '"language" must be "en" or "de"', ""],
      [7, 'Unknown key "shp"', 'Did you mean "shop"?'],
      [8, 'Unknown key "langage"', 'Did you mean "language"?'],
      [9, 'Unknown provider "mne"', 'Did you mean "mine"?'],
    ]);
  });

  it("takes no member whose name or options clash with others", async () => {
    const defining = (family: string, written: string): string =>
      `import { define${family} } from ${JSON.stringify(coreUrl)}; export const one = define${family}(${written});`;
    const modules: Record<string, string> = {
      "taken.mjs": defining("Provider", '{ type: "openai", complete: () => ({}) }'),
      "again.mjs": defining("Provider", '{ type: "mine", complete: () => ({}) }'),
      "key.mjs": defining("Provider", '{ type: "two", options: { retry: { type: "string" } }, complete: () => ({}) }'),
      "url.mjs": defining("Target", '{ type: "url", run: () => "" }'),
      "name.mjs": defining("Target", '{ type: "My shop", run: () => "" }'),
      "json.mjs": defining("Reporter", '{ name: "json", render: () => "" }'),
      "format.mjs": defining("Reporter", '{ name: "mine", format: "html", render: () => "" }'),
    };
    const names = Object.keys(modules);
    const list = `[ext.mjs, ${names.join(", ")}]`;
    const config = talking(["{ shop: { language: en } }"]);
    const cwd = makeProject({
      "ext.mjs": extension,
      "kindlm.yaml": `version: 1\nextensions: ${list}\n${config}`,
      ...modules,
    });
    expect((await problemsOf(cwd)).map(({ message }) => message)).toEqual(
      [
        '"openai" is the name of a built-in provider',
        '"mine" is registered twice',
        'its option "retry" has the name of a key that every provider has',
        '"url" is a key of every target',
        'its "type" must be lower case letters, digits and _, but it is "My shop"',
        '"json" is the name of a built-in reporter',
        'its "format" must be text, json, markup, commands',
      ].map((problem, index) => `Extension "${names[index]}": the export "one": ${problem}`),
    );
  });
});

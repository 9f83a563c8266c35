import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createManualClock } from "../packages/core/src/__fixtures__/manual-clock.js";
import { scriptedConfig } from "../packages/core/src/__fixtures__/scripted-config.js";
import { makeProject, type ProjectFiles } from "../packages/core/src/__fixtures__/make-project.js";
import { sharedModules } from "../packages/core/src/__fixtures__/shared-modules.js";
import { reportErrors } from "./support/report-errors.js";
import { repository, runCli, type CliOptions, type CliOutcome } from "./support/run-cli.js";
import { runProcess, type ProcessOutcome } from "./support/start-cli.js";
import { sendJson, startServer } from "../packages/core/src/__fixtures__/start-server.js";
import { until } from "./support/until.js";
import { whileAdvancing } from "./support/while-advancing.js";
import { importFetch } from "../packages/core/src/__fixtures__/light-fetch.js";

const coreUrl = createRequire(import.meta.url).resolve("../packages/core/dist/index.js");

const calls = [
  "{ tool: lookup_order, args: { order_id: ORD-1 } }",
  "{ tool: delete_order, args: { order_id: ORD-1 } }",
  "{ tool: fetch_page, args: {} }",
  "{ tool: no_such_tool, args: {} }",
  "{ tool: lookup_order, args: { order_id: 5 } }",
].join(", ");

const suite = (more = ""): string => `  - name: shop
${more}    tools:
      - name: lookup_order
        attributes: { no_effect: true }
        parameters: { type: object, properties: { order_id: { type: string } } }
        default: { return: { status: delivered } }
      - { name: delete_order, default: { return: { deleted: true } } }
      - { name: fetch_page, default: { error: { message: "no route to the page" } } }
    tests:
      - { name: passes, input: go, runs: 3, assert: [{ type: contains, value: done }] }
      - { name: fails, input: go, runs: 3, assert: [{ type: tool_not_called, tool: delete_order }] }`;

const config = (plugins: string, more = ""): string =>
  scriptedConfig({
    rules: `[{ when: { turn: 1 }, reply: { tool_calls: [${calls}] } }]`,
    otherwise: "{ text: done }",
    suites: suite(more),
    more: `plugins: ${plugins}`,
  });

interface ReportedCall {
  tool: string;
  result: unknown;
  error: { errorType: string; message: string; retryable: boolean } | null;
  hook?: unknown;
}

interface Report {
  exitCode: number;
  verdict: string;
  warnings: { message: string; hint: string; position: { line: number; file: string } }[];
  suites: { tests: { id: string; status: string; trials: { status: string; toolCalls: ReportedCall[] }[] }[] }[];
}

type Start = (args: readonly string[], options: CliOptions) => Promise<CliOutcome | ProcessOutcome>;

/** What ends or interrupts its worker has one of its own. */
const inSharedWorker: Start = (args, options) => runCli(args, { ...options, openModules: sharedModules });

async function run(
  files: ProjectFiles,
  args: readonly string[] = [],
  env: Record<string, string> = {},
  start: Start = inSharedWorker,
) {
  const cwd = makeProject(files);
  const ran = await start(["test", "--reporter", "json", ...args], { cwd, env });
  return { cwd, ran, report: JSON.parse(ran.stdout) as Report };
}

/** The report without what differs from run to run, and without its warnings. */
function comparable(report: Report): unknown {
  const volatile = new Set(["id", "startedAt", "endedAt", "durationMs", "latencyMs", "timeToFirstTokenMs", "warnings"]);
  const text = JSON.stringify(report, (key, value: unknown) =>
    volatile.has(key) && !(key === "id" && typeof value === "string" && value.startsWith("shop/")) ? null : value,
  );
  return JSON.parse(text);
}

const firstCalls = (report: Report): readonly ReportedCall[] => report.suites[0]?.tests[0]?.trials[0]?.toolCalls ?? [];

const hooks = ["providerFailed", "toolFailed", "trialEnded", "runEnded", "preToolUse", "postToolUse"] as const;

/** A module whose hooks all do the same. */
function everyHook(body: string, start = "export default"): string {
  return `${start} { name: "odd", ${hooks.map((hook) => `async ${hook}(...given) { ${body} }`).join(", ")} };\n`;
}

const misbehaving: readonly [string, ProjectFiles, string, RegExp][] = [
  ["throw", { "p.mjs": everyHook('throw new Error("boom");').replaceAll("async ", "") }, "./p.mjs", /threw: boom/],
  ["throw what is no error", { "p.mjs": everyHook("throw undefined;") }, "./p.mjs", /threw: undefined/],
  [
    "reject later",
    { "p.mts": everyHook('await null; throw new Error("later" as string);') },
    "./p.mts",
    /threw: later/,
  ],
  ["hang", { "p.mjs": everyHook("await new Promise(() => {});") }, "./p.mjs", /did not answer within 100 ms/],
  [
    "hang, and reject when they are left behind",
    {
      "p.mjs": everyHook(
        'const { signal } = given.at(-1); await new Promise((_, no) => signal.addEventListener("abort", () => no(new Error("late"))));',
      ),
    },
    "./p.mjs",
    /did not answer within 100 ms/,
  ],
  ["answer nonsense", { "p.mjs": everyHook('return { decision: "maybe", replace: 5 };') }, "./p.mjs", /answered .*not/],
  [
    "answer what is no JSON",
    { "p.mjs": everyHook('return { decision: "replace", result: 1n, replace: { ok: true, value: 1n } };') },
    "./p.mjs",
    /cannot be read/,
  ],
  [
    "answer with a trap",
    {
      "p.mjs": everyHook(
        'return { get decision() { throw new Error("trap"); }, get replace() { throw new Error("trap"); } };',
      ),
    },
    "./p.mjs",
    /cannot be read: trap/,
  ],
  [
    "answer with a thenable that throws",
    { "p.mjs": everyHook('return { get then() { throw new Error("then what"); } };') },
    "./p.mjs",
    /threw: then what/,
  ],
  [
    "change what they are given",
    { "p.mjs": everyHook("const [first] = given; for (const key of Object.keys(first)) delete first[key];") },
    "./p.mjs",
    /threw: Cannot delete property/,
  ],
  [
    "change it in sloppy mode, where nobody notices",
    {
      "p.cjs": everyHook(
        "for (const one of given) { one.args = one.tool = one.result = one.value = 0; if (one.result) one.result.status = 0; }",
        "module.exports =",
      ),
    },
    "./p.cjs",
    /^$/,
  ],
  [
    "leave errors behind",
    {
      "p.mjs": everyHook(
        'void Promise.reject(new Error("stray")); setTimeout(() => { throw new Error("stray too"); }, 1);',
      ),
    },
    "./p.mjs",
    /^$/,
  ],
];

describe("a run with plugins that misbehave", () => {
  let bareRun: ReturnType<typeof run> | null = null;
  const runBare = () => (bareRun ??= run({ "kindlm.yaml": config("[./p.mjs]"), "p.mjs": "" }, ["--no-plugins"]));
  /** Errors that nobody waits for reach the process. */
  const startOf = (what: string): Start => (what.startsWith("leave errors") ? runProcess : inSharedWorker);

  const changesNothing = async (
    what: string,
    files: ProjectFiles,
    module: string,
    complaint: RegExp,
  ): Promise<void> => {
    const timeout = what.startsWith("hang") ? "100ms" : "30s";
    const written = { "kindlm.yaml": config(`[{ module: ${module}, timeout: ${timeout} }]`), ...files };
    const bare = await runBare();
    const odd = await run(written, [], {}, startOf(what));
    expect(bare.report.warnings).toEqual([]);
    expect(comparable(odd.report)).toEqual(comparable(bare.report));
    expect([odd.report.verdict, odd.ran.code, bare.ran.code]).toEqual(["failed", 1, 1]);
    const messages = odd.report.warnings.map(({ message }) => message);
    if (complaint.source === "^$") {
      expect(messages).toEqual([]);
      return;
    }
    // Nothing fails at a provider here; what observers answer is of no interest.
    const asked = /answered|cannot be read/.test(complaint.source)
      ? ["preToolUse", "postToolUse"]
      : hooks.filter((hook) => hook !== "providerFailed");
    expect(messages).toHaveLength(asked.length);
    for (const hook of asked) {
      const about = messages.filter((message) => message.startsWith(`Plugin "odd": ${hook} `));
      expect(about).toEqual([expect.stringMatching(complaint)]);
      expect(odd.ran.stderr.split(about[0] ?? "-")).toHaveLength(2);
    }
    expect(odd.report.warnings.map(({ position }) => position.file)).toEqual(asked.map(() => "kindlm.yaml"));
    expect(odd.ran.stderr).not.toMatch(/\n\s+at /);
  };
  const isAtWork = ([what]: (typeof misbehaving)[number]): boolean => !/^(?:hang|leave)/.test(what);

  // Only those that leave the thread to others can wait beside each other: a run gives hooks no time for what others do.
  it.concurrent.each(misbehaving.filter((row) => !isAtWork(row)))("in every hook: %s", changesNothing);
  it.each(misbehaving.filter(isAtWork))("in every hook: %s", changesNothing);

  it("appears once in structured lines too", async () => {
    const files = { "kindlm.yaml": config("[./p.mjs]"), "p.mjs": everyHook('throw new Error("boom");') };
    const { ran } = await run(files, ["--log-format", "json"]);
    const lines = ran.stderr.split("\n").filter((line) => line.includes("preToolUse failed"));
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: "warn", message: 'Plugin "odd": preToolUse failed' },
    ]);
  });

  it("ends within two seconds of an interruption, whatever hangs", async () => {
    const plugin = `import { writeFileSync } from "node:fs";
${everyHook('writeFileSync(new URL("hangs", import.meta.url), ""); await new Promise(() => {});')}`;
    const cwd = makeProject({ "kindlm.yaml": config("[{ module: ./p.mjs, timeout: 1h }]"), "p.mjs": plugin });
    const clock = createManualClock({ start: Date.now() });
    const interrupt = new AbortController();
    const running = runCli(["test"], { cwd, clock, interrupt: interrupt.signal });
    await until(() => existsSync(join(cwd, "hangs")));
    const interruptedAt = clock.monotonic();
    interrupt.abort();
    const { code, stdout, stderr } = await whileAdvancing(clock, 20, running);
    expect(clock.monotonic() - interruptedAt).toBeLessThan(2_000);
    expect(code).toBe(1);
    expect(stdout).toContain("Summary: ");
    expect(stderr).not.toContain("did not answer");
  });
});

const guards = `
export const guard = definePlugin({
  name: "guard",
  preToolUse(call) {
    if (call.tool === "delete_order") return { decision: "deny", reason: "Deleting needs consent" };
    if (call.tool === "fetch_page") return { decision: "replace", result: { page: "cached" }, reason: "no network" };
  },
  postToolUse(call, outcome) {
    if (outcome.ok) return { update: { value: { status: "late" } } };
  },
});
export const second = definePlugin({ name: "second", preToolUse: () => ({ decision: "deny", reason: "not asked" }) });
`;

/** As they are mostly written. To load KindLM, and a module in TypeScript, takes a fifth of a second on Node 20. */
const typed = `import { definePlugin } from ${JSON.stringify(coreUrl)};${guards}`;
const untyped = guards.replaceAll("definePlugin", "");

describe.concurrent("tool hooks", () => {
  const files = { "kindlm.yaml": config("['./guard.mjs#guard']"), "guard.mjs": untyped };
  const decided = [
    {
      tool: "delete_order",
      result: null,
      error: { errorType: "logical", message: "Deleting needs consent", retryable: false },
      hook: { plugin: "guard", hook: "preToolUse", decision: "deny", reason: "Deleting needs consent" },
    },
    {
      tool: "fetch_page",
      result: { page: "cached" },
      error: null,
      hook: { plugin: "guard", hook: "preToolUse", decision: "replace", reason: "no network" },
    },
    {
      tool: "lookup_order",
      result: { status: "late" },
      error: null,
      hook: {
        plugin: "guard",
        hook: "postToolUse",
        decision: "replace",
        reason: null,
        returned: { status: "delivered" },
      },
    },
  ];

  it("decide, and all reports say so", async () => {
    const inTypeScript = { "kindlm.yaml": config("['./guard.ts#guard']"), "guard.ts": typed };
    const outputs = ["--reporter", "pretty=pretty.txt", "--events", "events.ndjson"];
    const { cwd, ran, report } = await run(inTypeScript, outputs);
    expect(ran.stderr).not.toContain("⚠");
    const found = firstCalls(report).toSorted((a, b) => a.tool.localeCompare(b.tool));
    expect(found).toMatchObject([
      decided[0],
      decided[1],
      decided[2],
      { error: { errorType: "validation" } },
      { tool: "no_such_tool" },
    ]);
    expect(found.filter(({ hook }) => hook !== undefined)).toHaveLength(3);
    expect(reportErrors(report)).toEqual([]);
    expect(readFileSync(join(cwd, "pretty.txt"), "utf8")).toMatch(
      /tool {4}status "delivered" .*\n {5}kindlm {2}plugin guard replaced this .*\n {5}tool {4}status "late" [^]*plugin guard denied the call: Deleting needs consent .*\n {5}tool {4}logical error: Deleting needs consent [^]*plugin guard replaced the call: no network .*\n {5}tool {4}page "cached" /,
    );
    const events = readFileSync(join(cwd, "events.ndjson"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; tool?: string; hook?: unknown });
    const ends = events.filter(({ type, hook }) => type === "tool:end" && hook !== undefined);
    for (const { tool, hook } of decided) {
      expect(ends.filter((event) => event.tool === tool).map((event) => event.hook)).toEqual(
        Array.from({ length: 6 }, () => hook),
      );
    }
    expect(events.at(-1)?.type).toBe("run:end");
  });

  it("are asked in the order of the config", async () => {
    const plugins = (list: string): ProjectFiles => ({ "kindlm.yaml": config(list), "guard.mjs": untyped });
    const [first, last] = await Promise.all([
      run(plugins("['./guard.mjs#guard', './guard.mjs#second']")),
      run(plugins("['./guard.mjs#second', './guard.mjs#guard']")),
    ]);
    const who = (report: Report): unknown[] =>
      firstCalls(report).map(({ tool, hook }) => [tool, (hook as { plugin: string } | undefined)?.plugin]);
    expect(who(first.report).slice(0, 4)).toEqual([
      ["lookup_order", "second"],
      ["delete_order", "guard"],
      ["fetch_page", "guard"],
      ["no_such_tool", undefined],
    ]);
    expect(who(last.report).slice(0, 3)).toEqual(
      ["lookup_order", "delete_order", "fetch_page"].map((tool) => [tool, "second"]),
    );
  });

  it("have a say where an agent of one's own calls the tools, and come before faults", async () => {
    const agent = `export async function run(input, ctx) {
      const denied = await ctx.tools.call("delete_order", { order_id: "ORD-1" });
      const cached = await ctx.tools.call("fetch_page", {});
      return denied.content + cached.content;
    }`;
    const more = `    target: { module: "./agent.mjs#run" }
    faults: [{ tool: fetch_page, kind: error }]
`;
    const own = { ...files, "kindlm.yaml": config("['./guard.mjs#guard']", more), "agent.mjs": agent };
    const { report } = await run(own, ["-t", "passes"]);
    expect(firstCalls(report)).toMatchObject([decided[0], decided[1]]);
    expect(firstCalls(report).every((call) => !("fault" in call))).toBe(true);
    expect(report.suites[0]?.tests[0]).toMatchObject({
      status: "failed",
      trials: [
        {
          output:
            '{"ok":false,"error":"Deleting needs consent","errorType":"logical","retryable":false,"recommendations":[]}{"page":"cached"}',
        },
        {},
        {},
      ],
    });
  });

  it("have a say where a program calls them over HTTP", async () => {
    const agent = `${importFetch}const reply = await fetch(process.env.KINDLM_TOOLS_URL + "/delete_order", { method: "POST", body: "{}", headers: { authorization: "Bearer " + process.env.KINDLM_TOKEN } });
process.stdout.write(await reply.text());`;
    const more = "    target: { command: [node, agent.mjs] }\n";
    const own = { ...files, "kindlm.yaml": config("['./guard.mjs#guard']", more), "agent.mjs": agent };
    const { report } = await run(own, ["-t", "passes", "--runs", "1"]);
    expect(firstCalls(report)).toMatchObject([decided[0]]);
  });
});

describe.concurrent("validate", () => {
  const p = "export default { name: 'p', runEnded() {} }; export const tool = { name: 'x', exec() {} };";

  it.each([
    ["[./p.mjs#guard]", ":3:11", /Plugin "\.\/p\.mjs#guard": .*has no export "guard"\. It exports default, tool/],
    ["[./p.mjs#tool]", ":3:11", /the export "tool" has an unknown hook "exec"/],
    ["[{ module: ./broken.mjs }]", ":3:21", /broken\.mjs cannot be loaded: no module of mine/],
    ["[./p.mjs, ./gone.mjs]", ":3:20", /Plugin "\.\/gone\.mjs" not found/],
  ])("%s", async (plugins, place, message) => {
    const cwd = makeProject({
      "kindlm.yaml": `version: 1\n# Plugins\nplugins: ${plugins}\n${config("[]")
        .replace(/^version: 1\n/, "")
        .replace("plugins: []\n", "")}`,
      "p.mjs": p,
      "broken.mjs": 'throw new Error("no module of mine");',
    });
    const [validated, tested] = await Promise.all([
      inSharedWorker(["validate"], { cwd }),
      inSharedWorker(["test"], { cwd }),
    ]);
    for (const { code, stderr, stdout } of [validated, tested]) {
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(message);
      expect(stderr).toContain(`kindlm.yaml${place}`);
    }
  });

  it("lists them, and sets none up", async () => {
    const cwd = makeProject({
      "kindlm.yaml": config("[./p.mjs]"),
      "p.mjs": 'export default { name: "p", setup() { throw new Error("set up"); }, runEnded() {}, preToolUse() {} };',
    });
    const [plain, json, tested] = await Promise.all([
      inSharedWorker(["validate"], { cwd }),
      inSharedWorker(["validate", "--json"], { cwd }),
      inSharedWorker(["test"], { cwd }),
    ]);
    expect([plain.code, plain.stderr]).toEqual([0, ""]);
    expect(plain.stdout).toContain("plugin p (./p.mjs): runEnded, preToolUse\n");
    expect(JSON.parse(json.stdout)).toMatchObject({
      valid: true,
      plugins: [{ name: "p", module: "./p.mjs", hooks: ["runEnded", "preToolUse"] }],
    });
    expect([tested.code, tested.stdout]).toEqual([1, ""]);
    expect(tested.stderr).toContain('✗ Config error: Plugin "p": setup threw: set up at line 4');
  });
});

describe.concurrent("the examples of docs/plugins.md and docs/tool-hooks.md", () => {
  const page = ["plugins", "tool-hooks"]
    .map((name) => readFileSync(join(repository, `docs/${name}.md`), "utf8"))
    .join("\n");
  const modules = Object.fromEntries(
    [...page.matchAll(/```ts\n\/\/ (plugins\/[\w-]+\.ts)\n([^]*?)```/g)].map(([, name = "", code = ""]) => [
      name,
      code.replace("@kindlm/core", coreUrl),
    ]),
  );

  it("forbid a tool and count errors", async () => {
    const file = join(makeProject({}), "stats.json");
    const plugins = `['./plugins/guards.ts#forbidDeleting', { module: ./plugins/error-stats.ts, with: { file: ${JSON.stringify(file)} } }]`;
    const { ran, report } = await run({ "kindlm.yaml": config(plugins), ...modules });
    expect(ran.stderr).not.toContain("⚠");
    expect(firstCalls(report).find(({ tool }) => tool === "delete_order")).toMatchObject({
      error: { message: "Deleting needs a person's consent" },
      hook: { plugin: "forbid-deleting", decision: "deny" },
    });
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
      verdict: "failed",
      validation: 12,
      runtime: 6,
      logical: 6,
      aborted: 0,
      exception: 0,
    });
  });

  it("alert once when a provider fails", async ({ onTestFinished }) => {
    const alerts: string[] = [];
    const server = await startServer(({ path, body }, response) => {
      if (path === "/alert") alerts.push(body);
      sendJson(response, path === "/alert" ? 200 : 503, { error: { message: "down" } });
    });
    onTestFinished(() => server.close());
    const written = `version: 1
providers: { local: { type: openai, base_url: "${server.url}/v1", api_key_env: LOCAL_KEY } }
models: [{ id: m, provider: local, model: m }]
retry: { initial_delay: 1ms }
plugins:
  - { module: ./plugins/alert.ts, with: { webhook: "\${ALERT_WEBHOOK}", after: 3 } }
suites:
  - { name: s, tests: [{ name: t, input: hi, runs: 2, assert: [{ type: contains, value: x }] }] }
`;
    const env = { ALERT_WEBHOOK: `${server.url}/alert`, LOCAL_KEY: "key-of-nobody" };
    const { ran } = await run({ "kindlm.yaml": written, ...modules }, ["--concurrency", "1"], env);
    expect(ran.stderr).not.toContain("⚠");
    expect(alerts).toEqual([JSON.stringify({ text: "local: PROVIDER_API_ERROR, 3 failed attempts, 1 failed calls" })]);
  });
});

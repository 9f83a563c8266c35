import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { defineConfig, runTests, validateConfig, type ConfigInput } from "../packages/core/dist/index.js";
import { makeProject, type ProjectFiles } from "../packages/core/src/__fixtures__/make-project.js";
import { sharedModules } from "../packages/core/src/__fixtures__/shared-modules.js";
import { createSystemClock } from "../packages/core/src/values/clock.js";
import { repository, runCli } from "./support/run-cli.js";
import { startWatching } from "./support/start-watching.js";

const offline = `models: [{ id: "offline", provider: "scripted", script: { otherwise: { text: "Hi ann" } } }]`;

const computed = `import { defineConfig } from "@kindlm/core";
import { names } from "./names.js";
console.log("read");
export default defineConfig(async ({ env, ci }) => ({
  version: 1 as const,
  ${offline},
  suites: () => [
    {
      name: env["SUITE"] ?? String(ci),
      tests: Promise.resolve(
        names.map((name) => ({ name, input: name, assert: [{ type: "contains", value: "Hi " + process.env["WHO"] }] })),
      ),
    },
  ],
}));
`;
const names = `export const names: readonly string[] = ["ann", "bob"];\n`;

function projectOf(files: ProjectFiles): string {
  const cwd = makeProject(files);
  mkdirSync(join(cwd, "node_modules", "@kindlm"), { recursive: true });
  symlinkSync(join(repository, "packages", "core"), join(cwd, "node_modules", "@kindlm", "core"), "dir");
  return cwd;
}

/** Leaves a letter for each time that it is evaluated. */
const counting = `import { appendFileSync } from "node:fs";\nappendFileSync(new URL("evaluated", import.meta.url), "x");\n`;

/** A worker for several loads, where it does not matter that each has its own. */
const shared = { openModules: sharedModules };

const literal = (value = "Hi"): string => `export default {
  version: 1,
  ${offline},
  suites: [
    { name: "s", tests: [{ name: "t", input: "x", assert: [{ type: "contains", value: "${value}" }] }] },
  ],
};
`;

describe.concurrent("a config module", () => {
  it("is found, computed once with .env, and run by every command", async () => {
    const cwd = projectOf({ "kindlm.config.ts": computed, "names.ts": names, ".env": "SUITE=people\nWHO=ann\n" });
    const ran = await runCli(["test", "--reporter", "json"], { cwd, ...shared });
    expect([ran.code, ran.stderr]).toEqual([0, expect.not.stringContaining("✗")]);
    expect(JSON.parse(ran.stdout)).toMatchObject({ verdict: "passed", summary: { total: 2, passed: 2 } });
    for (const [words, expected] of [
      ["validate", "kindlm.config.ts: valid; 1 suite, 2 tests"],
      ["test -c kindlm.config.ts --list", "people/ann@offline\npeople/bob@offline\n"],
      ["baseline set", "1 baseline"],
      ["rescore", "2 passed, 0 failed"],
      ["doctor --offline", "kindlm.config.ts: 1 suite"],
    ] as const) {
      expect((await runCli(words.split(" "), { cwd, ...shared })).stdout, words).toContain(expected);
    }
  });

  it.each([["test"], ["validate"], ["doctor"]])("is evaluated once by kindlm %s", async (command) => {
    const cwd = makeProject({ "kindlm.config.mjs": counting + literal("Hi ann") });
    const ran = await runCli([command], { cwd });
    expect([ran.code, ran.stderr]).toEqual([0, expect.not.stringContaining("✗")]);
    expect(readFileSync(join(cwd, "evaluated"), "utf8")).toBe("x");
  });

  it("has the identity of the same config in YAML, so baselines and carried trials stay", async () => {
    const yaml = "version: 1\nmodels: [{ id: offline, provider: scripted, script: { otherwise: { text: Hi ann } } }]\n";
    const suites = "suites: [{ name: s, tests: [{ name: t, input: x, assert: [{ type: contains, value: Hi }] }] }]\n";
    const cwd = makeProject({ "kindlm.yaml": yaml + suites, "kindlm.config.mjs": literal() });
    const hashes: unknown[] = [];
    for (const path of ["kindlm.yaml", "kindlm.config.mjs"]) {
      const ran = await runTests({ paths: [path], journal: false }, { env: {}, cwd, ...shared });
      const tests = ran.success ? ran.data.suites.flatMap((suite) => suite.tests) : [];
      hashes.push(tests.map((test): unknown[] => [Reflect.get(test, "agentHash"), Reflect.get(test, "checkHash")]));
    }
    expect(hashes[0]).toEqual([[expect.any(String), expect.any(String)]]);
    expect(hashes[1]).toEqual(hashes[0]);
  });

  it("next to another config is named, or nothing runs", async () => {
    const cwd = makeProject({ "kindlm.yaml": "version: 1\n", "kindlm.config.js": literal(), "sub/a.txt": "" });
    const { code, stderr } = await runCli(["test"], { cwd: join(cwd, "sub") });
    expect(code).toBe(1);
    expect(stderr).toContain(
      "✗ Config error: Found ../kindlm.yaml and ../kindlm.config.js: several configs in one folder\n",
    );
    expect((await runCli(["validate", "kindlm.config.js"], { cwd, ...shared })).code).toBe(0);
    expect((await runCli(["validate", "."], { cwd })).stderr).toContain("kindlm.yaml:1");
  });

  it("runs again in watch mode when it, or what it imports, changes", async () => {
    const written = computed.replace(/^import .*\n/, "").replace(/defineConfig\(([^]*)\);/, "$1;");
    const cwd = makeProject({ "kindlm.config.ts": written, "names.ts": names, ".env": "SUITE=people\nWHO=ann\n" });
    const session = startWatching(["watch"], { cwd, env: {}, clock: createSystemClock() });
    await session.sees("Summary: 2 passed");
    writeFileSync(join(cwd, "names.ts"), names.replace(`"bob"`, `"bob", "eve"`));
    await session.sees("Summary: 3 passed");
    await session.quit();
  });

  it("is not evaluated after a round of watch mode", async () => {
    const cwd = makeProject({ "kindlm.config.mjs": counting + literal("Hi ann") });
    const session = startWatching(["watch"], { cwd, env: {}, clock: createSystemClock() });
    await session.sees("Summary: 1 passed");
    await session.quit();
    // Twice before it, since its folder may have changed before it was watched.
    expect(readFileSync(join(cwd, "evaluated"), "utf8")).toBe("xx");
  });
});

it("is the one of the documentation", async () => {
  const page = readFileSync(join(repository, "docs", "typescript.md"), "utf8");
  const example = /```ts file=kindlm\.config\.ts\n([^]+?)```/.exec(page)?.[1] ?? "";
  const cwd = projectOf({ "kindlm.config.ts": example });
  expect((await runCli(["test", "--list"], { cwd, ...shared })).stdout).toBe(
    "orders/finds ORD-1@offline\norders/finds ORD-2@offline\n",
  );
});

describe("diagnostics of a config module", () => {
  it("have the file, the line as far as it is written there, and the path", async () => {
    const cwd = makeProject({
      "kindlm.config.js": `const from = ["a", "b"];
export default {
  version: 1,
  ${offline},
  suites: [
    { name: "s", tests: [{ name: "a", input: "x", assert: [{ type: "containz", value: "x" }] }] },
    { name: "t", tests: from.map((name) => ({ name, input: "x", asert: [] })) },
  ],
};
`,
    });
    const validated = await validateConfig({}, { env: {}, cwd, ...shared });
    const diagnostics =
      validated.success || validated.error.details === undefined ? [] : Object.values(validated.error.details)[0];
    const file = "kindlm.config.js";
    expect(diagnostics).toMatchObject([
      { position: { file, line: 6, column: 68 }, path: "suites[0].tests[0].assert[0].type" },
      { position: { file, line: 7, column: 25 }, path: "suites[1].tests[0].asert" },
      { position: { file, line: 7, column: 25 }, path: "suites[1].tests[1].asert" },
    ]);
    const { stderr } = await runCli(["validate"], { cwd, ...shared });
    expect(stderr).toContain("kindlm.config.js:7:25 · suites[1].tests[0].asert\n");
  });

  it.each([
    [
      "throw new Error('no database\\nmore');",
      "kindlm.config.js cannot be loaded: no database at line 1\n  kindlm.config.js:1:7\n",
    ],
    ["export default () => {\n  throw new TypeError('late');\n};", "kindlm.config.js threw an error: late at line 2\n"],
    ["process.exit(0);", "kindlm.config.js called process.exit(0)\n  Remove what ends the process\n"],
    [
      "export const config = {};",
      "kindlm.config.js has no default export\n  It exports config. Add a default export: defineConfig(",
    ],
    ["import 'not-there'; export default {};", "  Run: npm install --save-dev not-there\n"],
    ["export default {\n  suites: [ }\n};", "kindlm.config.js cannot be loaded: Unexpected token"],
    ["export default 5;", "A config must be an object at line 1\n"],
    ["export default null;", "The config file is empty at line 1\n"],
    ["const a = { d: new Date(0) };\nexport default { version: 1, suites: [a] };", "of the class Date at line 2\n"],
    [
      "const a = {};\na.a = a;\nexport default { version: 1, suites: [a] };",
      "An object of the config contains itself at line 3\n",
    ],
    [
      "export default { version: 1, suites: [{ name: 's', vars: { f() {} }, tests: [] }] };",
      "A config cannot hold a function at line 1\n",
    ],
    [
      "export default { version: 1, suites: [{ name: 's', vars: { p: Promise.resolve() }, tests: [] }] };",
      "  Await it\n",
    ],
  ])("say what %s does", async (text, expected) => {
    const cwd = makeProject({ "kindlm.config.js": text, "package.json": '{ "type": "module" }' });
    const { code, stderr } = await runCli(["validate"], { cwd, ...shared });
    expect(code).toBe(1);
    expect(stderr).toContain(expected);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it("show the stack with --verbose", async () => {
    const cwd = makeProject({ "kindlm.config.mjs": "export default () => {\n  throw new TypeError('late');\n};" });
    expect((await runCli(["validate", "--verbose"], { cwd, ...shared })).stderr).toMatch(
      /TypeError: late\n\s+at .*kindlm\.config\.mjs:2:9/,
    );
  });

  it("give up on one that never ends", async () => {
    const cwd = makeProject({ "kindlm.config.mjs": "await new Promise(() => {}); export default {};" });
    const { after, ...system } = createSystemClock();
    const clock = { ...system, after: (ms: number, callback: () => void) => after(Math.min(ms, 200), callback) };
    expect(await validateConfig({}, { env: {}, cwd, clock })).toMatchObject({
      error: { message: "kindlm.config.mjs was not loaded within 1 min: something that it waits for never ends" },
    });
  });
});

describe("defineConfig", () => {
  it("has the types of the schema", () => {
    const config = defineConfig({
      version: 1,
      suites: async () => [
        { name: "s", tests: ["a"].map((name) => ({ name, input: "x", assert: [{ type: "refuses" }] })) },
      ],
    });
    // @ts-expect-error the version is missing
    const lacking: ConfigInput = { suites: [] };
    void defineConfig({
      version: 1,
      // @ts-expect-error the key of the assertion is misspelled
      suites: [{ name: "s", tests: [{ name: "t", input: "x", assert: [{ type: "contains", valeu: "x" }] }] }],
    });
    // @ts-expect-error the type of the assertion is misspelled, in what a function returns
    void defineConfig(() => ({
      version: 1,
      suites: [{ name: "s", tests: [{ name: "t", assert: [{ type: "containz" }] }] }],
    }));
    expect([config.version, lacking.suites]).toEqual([1, []]);
  });
});

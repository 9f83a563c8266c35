import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { draws } from "../__fixtures__/draws.js";
import {
  loadedProject,
  loadProject,
  minimalConfig,
  renderAll,
  renderDiagnostic,
  testsOf,
} from "../__fixtures__/config-project.js";
import { makeProject } from "../__fixtures__/make-project.js";
import { loadConfig } from "./load-config.js";

const contains = "assert: [{ type: contains, value: hi }]";

describe("config files", () => {
  it("are found in a folder and below it, but not in node_modules", async () => {
    const named = (name: string): string => minimalConfig().replace("name: s", `name: ${name}`);
    const loaded = await loadedProject(
      {
        "kindlm.yaml": named("a"),
        "sub/kindlm.yml": named("b"),
        "sub/x.kindlm.yaml": named("c"),
        "node_modules/p/kindlm.yaml": named("d"),
        "other.yaml": named("e"),
        "odd.txt": named("f"),
      },
      { paths: [".", "odd.txt", "kindlm.yaml"] },
    );
    expect(loaded.suites.map((suite) => suite.name)).toEqual(["a", "b", "c", "f"]);
    expect(loaded.files).toEqual(["kindlm.yaml", "sub/kindlm.yml", "sub/x.kindlm.yaml", "odd.txt"]);
  });

  it("keep their own deadlines and may not contradict each other about the run", async () => {
    const first = minimalConfig(contains, "timeouts: { trial: 1m, request: 5s }\ndefaults: { concurrency: 2 }");
    const second = minimalConfig(contains).replace("name: s", "name: s2");
    const options = { paths: ["a.yaml", "b.yaml"] };
    const loaded = await loadedProject({ "a.yaml": first, "b.yaml": second }, options);
    expect(loaded.timeouts.trialMs).toBe(300_000);
    expect(testsOf(loaded).map((test) => [test.timeouts.trialMs, test.models[0]?.timeouts.requestMs])).toEqual([
      [60_000, 5_000],
      [undefined, undefined],
    ]);
    const conflict = await loadedProject(
      { "a.yaml": first, "b.yaml": `${second}defaults: { concurrency: 3 }\n` },
      options,
    );
    expect(conflict.suites).toMatchObject([{ status: "ready" }, { name: "s2", status: "broken" }]);
    const [, broken] = conflict.suites;
    expect(broken?.status === "broken" && broken.error.message).toContain(
      '"defaults.concurrency" holds for the whole run, and a.yaml sets it',
    );
  });

  it.each([
    [{ "kindlm.yaml.example": "" }, [], { path: "kindlm.yaml", similar: "kindlm.yaml.example" }],
    [{ "kindlm.yml": "" }, [], { path: "kindlm.yaml", similar: "kindlm.yml" }],
    [{ "dir/tests.yaml": "" }, ["dir/test.yaml"], { path: "dir/test.yaml", similar: "dir/tests.yaml" }],
    [{ "dir/a.txt": "" }, ["dir"], { path: "dir" }],
    [{}, ["x.yaml"], { path: "x.yaml" }],
  ])("are missed with a pointer to what is there: %j", async (files, paths, details) => {
    const loaded = await loadProject(files, { paths });
    expect(loaded).toMatchObject({ success: false, error: { code: "CONFIG_NOT_FOUND", details } });
  });

  it("are refused when they are not UTF-8 or too large, and taken with a byte order mark", async () => {
    const loaded = await loadProject({ "kindlm.yaml": new Uint8Array([0xff, 0xfe, 0x41]) });
    expect(loaded).toMatchObject({ error: { code: "CONFIG_PARSE_ERROR", message: "kindlm.yaml is not UTF-8 text" } });
    const large = await loadProject({ "kindlm.yaml": `# ${"x".repeat(10 * 1024 * 1024)}` });
    expect(large).toMatchObject({ error: { message: "kindlm.yaml is larger than 10 MiB" } });
    const marked = await loadedProject({ "kindlm.yaml": `\ufeff${minimalConfig().replaceAll("\n", "\r\n")}` });
    expect(testsOf(marked)[0]?.position).toMatchObject({ line: 6, column: 15 });
  });

  it("have .env and .env.local beside them; the real environment wins", async () => {
    const files = {
      "kindlm.yaml": minimalConfig(),
      ".env": "A=env\nB=env\nC=env\nMY_API_KEY=k",
      ".env.local": "A=local\nB=local",
    };
    const { env, secretNames } = await loadedProject(files, { env: { A: "real" } });
    expect(env).toMatchObject({ A: "real", B: "local", C: "env" });
    expect(secretNames).toEqual(["MY_API_KEY"]);
  });
});

describe("arbitrary configs", () => {
  it("give a result, never an exception", async () => {
    const cwd = makeProject({});
    const lines = minimalConfig("tags: [a]\nassert: [{ type: contains, value: hi }]").split("\n");
    const change = fc.record({
      line: fc.nat({ max: lines.length - 1 }),
      text: fc.oneof(
        fc.string({ maxLength: 12 }),
        fc.constantFrom(
          "- x",
          "a: [",
          "{{x}}: 1",
          "    name: 1",
          "*a",
          "",
          "suites: [1, null, [a]]",
          "models: [[], 1]",
        ),
      ),
    });
    const { writeFileSync } = await import("node:fs");
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const changed = [...lines];
        for (const { line, text } of changes) changed[line] = text;
        writeFileSync(`${cwd}/kindlm.yaml`, changed.join("\n"));
        const loaded = await loadConfig({ paths: [], ci: false }, { env: {}, cwd });
        if (!loaded.success) expect(renderAll(loaded.error).length).toBeGreaterThan(0);
        else expect(loaded.data.warnings.map(renderDiagnostic)).toBeInstanceOf(Array);
      }),
      { numRuns: draws({ brief: 100, full: 10_000 }) },
    );
  });
});

describe("a config that is large", () => {
  it.each([
    ["not of one that is small", 1_000, 0],
    ["once of one whose files are large together", 60_000, 1],
    ["once of one that has a large file", 200_000, 1],
  ])("is told before it is parsed: %s", async (_name, length, expected) => {
    const comment = `# ${"x".repeat(length)}\n`;
    const config = `${comment}${minimalConfig()}`;
    const cwd = makeProject({ "one.yaml": config, "two.yaml": config });
    let told = 0;
    const environment = { env: {}, cwd, expectLargeConfig: () => void (told += 1) };
    const loaded = await loadConfig({ paths: ["one.yaml", "two.yaml"], ci: false }, environment);
    expect(loaded.success).toBe(true);
    expect(told).toBe(expected);
  });
});

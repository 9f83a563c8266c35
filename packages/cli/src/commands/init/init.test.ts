import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeEnvironment, type FakeEnvironment } from "../../__fixtures__/fake-environment.js";
import type { CliEnvironment } from "../../environment.js";
import { insertScript } from "./project-files.js";
import { realModels } from "./templates.js";
import { main } from "../../main.js";

async function call(
  argv: readonly string[],
  changes: Partial<CliEnvironment> = {},
): Promise<{ code: number; out: string; err: string }> {
  const environment: FakeEnvironment = fakeEnvironment(changes);
  const code = await main(argv, environment);
  return { code, out: environment.stdout.text(), err: environment.stderr.text() };
}

describe("init", () => {
  let cwd = "";
  beforeEach(async () => {
    cwd = await mkdtemp(join(tmpdir(), "kindlm-init-"));
  });
  afterEach(() => rm(cwd, { recursive: true }));

  it("writes a config that is valid and passes offline at once", async () => {
    const { code, out } = await call(["init", "--yes", "--dir", "evals"], { cwd });
    expect(code).toBe(0);
    expect(out).toContain("wrote evals/kindlm.yaml\n");
    expect(out).toContain("kindlm test evals/kindlm.yaml");
    const validated = await call(["validate", "evals/kindlm.yaml"], { cwd });
    expect(validated.err).toBe("");
    expect(validated.out).toContain("order-agent: 2 tests, 2 cases, 2 trials\n");
    const tested = await call(["test", "evals/kindlm.yaml"], { cwd });
    expect(tested.out).toContain("Summary: 2 passed, 0 failed, 0 errored, 0 skipped\nExit code: 0\n");
    expect(tested.code).toBe(0);
  });

  it("never overwrites anything", async () => {
    await writeFile(join(cwd, "kindlm.yaml"), "mine");
    const { code, err } = await call(["init", "--yes"], { cwd });
    expect(code).toBe(1);
    expect(err).toContain("✗ Nothing was written, because these files exist: kindlm.yaml\n");
    expect(await readFile(join(cwd, "kindlm.yaml"), "utf8")).toBe("mine");
  });

  /** Answers one question after the other, and gives what was asked. */
  const answering = (...answers: (string | null)[]) => {
    const asked: string[] = [];
    return {
      asked,
      ask: (question: string): Promise<string | null> => {
        asked.push(question);
        return Promise.resolve(answers[asked.length - 1] ?? null);
      },
    };
  };

  it("asks a person at most four questions, each with a default", async () => {
    const { asked, ask } = answering("", "", "", "");
    const { code, out } = await call(["init"], { cwd, ask });
    expect(code).toBe(0);
    expect(asked).toHaveLength(4);
    expect(asked[0]).toMatch(/^What do you want to test\?\n {2}1 {2}agent .* \(default\)\n {2}2 {2}http/);
    expect(out).toContain("wrote kindlm.yaml\n");
    expect(out).toContain("wrote scripts/order-agent.yaml\n");
    expect(await readdir(cwd)).toEqual([".env.example", ".gitignore", "kindlm.yaml", "prompts", "scripts"]);
  });

  it("understands names, numbers and slips, and asks no model of an agent that brings its own", async () => {
    const { asked, ask } = answering("htp", "9", "http", "evals", "yes");
    const { out } = await call(["init"], { cwd, ask });
    expect(asked.slice(1, 3)).toEqual(['Did you mean "http"?', "Enter a number from 1 to 6"]);
    expect(asked).toHaveLength(5);
    expect(out).toContain("wrote evals/server.mjs\n");
    expect(out).toContain("wrote .github/workflows/kindlm.yml\n");
    const config = await readFile(join(cwd, "evals", "kindlm.yaml"), "utf8");
    expect(config).toMatch(/^# yaml-language-server: \$schema=\.\.\/node_modules\/@kindlm\/cli\/schema\.json\n/);
    expect(await readFile(join(cwd, ".github", "workflows", "kindlm.yml"), "utf8")).toContain(
      "npx kindlm test evals/kindlm.yaml --reporter github",
    );
  });

  it.each([[0], [1], [2], [3]])("writes nothing if the person leaves at question %i", async (left) => {
    const { ask } = answering(...Array.from({ length: left }, () => ""), null);
    expect(await call(["init"], { cwd, ask })).toEqual({ code: 1, out: "", err: "" });
    expect(await readdir(cwd)).toEqual([]);
  });

  it.each(realModels)(
    "offers $provider first if $key is set, and costs nothing by default",
    async ({ key, ...model }) => {
      const env = { [key]: "sk-123456789" };
      const { asked, ask } = answering("agent", "", "free", "");
      await call(["init"], { cwd, env, ask });
      expect(asked[1]).toMatch(
        new RegExp(`\\n {2}1 {2}${model.provider} .*${key} is set\\n {2}2 {2}offline .*\\(default\\)\\n`),
      );
      expect(await readFile(join(cwd, "free", "kindlm.yaml"), "utf8")).toContain("  models: [offline]\n");
      for (const [template, line] of [
        ["agent", `  models: [${model.id}]\n`],
        ["judge", `  models: [offline]\n  judge: ${model.id}\n`],
      ] as const) {
        const paid = answering(model.provider, template, "");
        const { out } = await call(["init", "--template", template], { cwd, env, ask: paid.ask });
        expect(out).toContain(`They call ${model.model}, which costs money:\n  kindlm test ${template}/kindlm.yaml\n`);
        const config = await readFile(join(cwd, template, "kindlm.yaml"), "utf8");
        expect(config).toContain(line);
        expect(config).not.toContain("A real model");
        expect(await call(["validate", "-c", `${template}/kindlm.yaml`], { cwd, env })).toMatchObject({
          code: 0,
          err: "",
        });
      }
    },
  );

  it("lists the templates, and suggests one for a slip", async () => {
    const { code, out } = await call(["init", "--template", "list"], { cwd });
    expect([code, out.split("\n").map((line) => line.split(" ")[0])]).toEqual([
      0,
      ["agent", "http", "command", "mcp", "chat", "judge", ""],
    ]);
    expect((await call(["init", "--template", "judg"], { cwd })).err).toContain('Did you mean "judge"?');
    expect(await readdir(cwd)).toEqual([]);
  });

  it("adds to .gitignore and package.json what they lack, and changes nothing else", async () => {
    const manifest = '{\n\t"name": "mine",\n\t"scripts": { "test":   "x" },\n\t"a": [1,2]\n}\n';
    await writeFile(join(cwd, "package.json"), manifest);
    await writeFile(join(cwd, ".gitignore"), "dist\n.env");
    const { out } = await call(["init", "--yes"], { cwd });
    expect(out).toContain("added .env.local to .gitignore\nadded the script test:agent to package.json\n");
    expect(await readFile(join(cwd, ".gitignore"), "utf8")).toBe("dist\n.env\n.env.local\n");
    expect(await readFile(join(cwd, "package.json"), "utf8")).toBe(
      manifest.replace('"x" }', '"x", "test:agent": "kindlm test" }'),
    );
    const again = await call(["init", "--yes", "--dir", "two", "--ci"], { cwd });
    expect(again.out).not.toContain("package.json");
    await writeFile(join(cwd, ".env.example"), "MINE=");
  });

  it("leaves a package.json alone that it cannot read, and says what to add", async () => {
    await writeFile(join(cwd, "package.json"), '{ "scripts": "none" }');
    const { out } = await call(["init", "--yes"], { cwd });
    expect(out).toContain('add to the scripts of package.json: "test:agent": "kindlm test"\n');
    expect(await readFile(join(cwd, "package.json"), "utf8")).toBe('{ "scripts": "none" }');
  });

  it("writes a secret that stands in such a file neither masked nor again", async () => {
    const manifest = '{ "name": "hunter2hunter2", "scripts": {} }';
    await writeFile(join(cwd, "package.json"), manifest);
    const { out } = await call(["init", "--yes"], { cwd, env: { MY_API_KEY: "hunter2hunter2" } });
    expect(out).toContain("add to the scripts of package.json");
    expect(await readFile(join(cwd, "package.json"), "utf8")).toBe(manifest);
  });

  it("puts the workflow at the root of the repository, and runs it in the folder", async () => {
    await mkdir(join(cwd, ".git"));
    await mkdir(join(cwd, "packages", "bot"), { recursive: true });
    const { out } = await call(["init", "--yes", "--ci"], { cwd: join(cwd, "packages", "bot") });
    expect(out).toContain("wrote ../../.github/workflows/kindlm.yml\n");
    expect(await readFile(join(cwd, ".github", "workflows", "kindlm.yml"), "utf8")).toContain(
      'defaults:\n  run:\n    working-directory: "packages/bot"\njobs:\n',
    );
  });

  it("adds the workflow alone to a project that has its tests", async () => {
    await call(["init", "--yes"], { cwd });
    const { code, out } = await call(["init", "--ci"], { cwd });
    expect(code).toBe(0);
    expect(out).toBe("kept kindlm.yaml\nwrote .github/workflows/kindlm.yml\n");
    expect((await call(["init", "--ci"], { cwd })).out).toContain("kept .github/workflows/kindlm.yml\n");
  });

  it("says what it cannot write", async () => {
    await writeFile(join(cwd, "evals"), "a file");
    const { code, err } = await call(["init", "--yes", "--dir", "evals"], { cwd });
    expect(code).toBe(1);
    expect(err).toMatch(/^✗ Cannot write evals\/.*\n {2}Choose another folder with --dir\n/);
  });
});

describe("insertScript", () => {
  const script = { name: "t", command: "kindlm test" };
  it.each([
    ["{}", '{\n  "scripts": {\n    "t": "kindlm test"\n  }\n}'],
    ['{ "name": "a" }', '{\n  "scripts": {\n    "t": "kindlm test"\n  }, "name": "a" }'],
    ['{\n  "scripts": {}\n}\n', '{\n  "scripts": {\n    "t": "kindlm test"\n  }\n}\n'],
    [
      '{\n    "scripts": {\n        "a": "}"\n    }\n}',
      '{\n    "scripts": {\n        "a": "}",\n        "t": "kindlm test"\n    }\n}',
    ],
    [
      '{\r\n  "config": { "scripts": { "b": "1" } },\r\n  "scripts": {\r\n    "a": "\\"{"\r\n  }\r\n}',
      '{\r\n  "config": { "scripts": { "b": "1" } },\r\n  "scripts": {\r\n    "a": "\\"{",\r\n    "t": "kindlm test"\r\n  }\r\n}',
    ],
    ["[]", null],
    ["{", null],
    ['{ "scripts": [] }', null],
  ])("%j", (before, after) => {
    expect(insertScript(before, script)).toBe(after);
  });
});

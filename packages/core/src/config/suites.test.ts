import { describe, expect, it } from "vitest";
import { loadedProject, loadProject, minimalConfig, renderAll, testsOf } from "../__fixtures__/config-project.js";

const contains = "assert: [{ type: contains, value: hi }]";

describe("assertions with placeholders", () => {
  it("are parsed once for all cases only without any", async () => {
    const test = 'vars: { a: hi }\nassert: [{ type: contains, value: "{{a}}" }, { type: contains, value: x }]';
    const config = await loadedProject({ "kindlm.yaml": minimalConfig(test) });
    expect(testsOf(config)[0]?.assertions.map(({ parsed }) => parsed === null)).toEqual([true, false]);
  });

  it("are tried with the first row, so that their problems are found", async () => {
    const test = 'rows: [{ n: text }]\nassert: [{ type: max_tool_calls, max: "{{n}}" }]';
    const loaded = await loadProject({ "kindlm.yaml": minimalConfig(test) });
    if (loaded.success) throw new Error("loaded");
    expect(renderAll(loaded.error)[0]).toContain("kindlm.yaml:9:47");
  });
});

describe("suites", () => {
  const suite = (name: string, extra = ""): string =>
    `name: ${name}\n${extra}tests: [{ name: t, input: hi, tags: [x], rows: [{ id: a }, { id: b }], ${contains} }]\n`;
  const config = (suites: string): string =>
    `version: 1\nmodels: [{ id: m, provider: openai, model: x }]\nsuites: ${suites}\n`;

  it("come from files and globs, with paths relative to the file that names them", async () => {
    const loaded = await loadedProject({
      "kindlm.yaml": config("[suites/*.yaml, more/c.yml]"),
      "suites/b.yaml": suite("b", "system_prompt_file: b.md\n"),
      "suites/b.md": "Be brief.",
      "suites/a.yaml": suite("a"),
      "more/c.yml": `$schema: x\n${suite("c")}`,
    });
    expect(loaded.suites.map(({ name, file }) => `${name} ${file}`)).toEqual([
      "a suites/a.yaml",
      "b suites/b.yaml",
      "c more/c.yml",
    ]);
    expect(testsOf(loaded)[1]?.prompts).toEqual([{ id: null, system: "Be brief." }]);
  });

  it("are broken one by one, with their cases as far as they can be told", async () => {
    const loaded = await loadedProject({
      "kindlm.yaml": config("[good.yaml, prompt.yaml, shape.yaml, missing.yaml, syntax.yaml, twice.yaml]"),
      "good.yaml": suite("good"),
      "prompt.yaml": suite("prompt", "system_prompt_file: prompts/missing.txt\n"),
      "shape.yaml": suite("shape").replace("tags: [x]", "tags: 1, models: [q]"),
      "syntax.yaml": "name: {{x}}\n",
      "twice.yaml": suite("good"),
    });
    const outlines = loaded.suites.map((found) => {
      if (found.status === "ready") return `${found.name} ready`;
      const tests = found.tests.map((test) => `${test.name}@${test.models.join("+")}[${test.rowKeys?.join("+")}]`);
      return `${found.name} ${found.error.code} ${found.error.message} ${tests.join()}`;
    });
    expect(outlines).toEqual([
      "good ready",
      'prompt CONFIG_FILE_REF_ERROR system_prompt_file "prompts/missing.txt" not found t@m[a+b]',
      'shape CONFIG_VALIDATION_ERROR "tags" must be a list, but it is a number t@q[a+b]',
      'missing.yaml CONFIG_FILE_REF_ERROR Suite file "missing.yaml" not found ',
      "syntax.yaml CONFIG_PARSE_ERROR {{x}} without quotes is a YAML object, not a placeholder ",
      'good CONFIG_VALIDATION_ERROR The suite name "good" is already used in good.yaml t@m[a+b]',
    ]);
  });

  it("stop the run when none is valid, or when the top level is not", async () => {
    const files = { "kindlm.yaml": config("[a.yaml, b.yaml]"), "a.yaml": "name: a\n", "b.yaml": suite("b", "x: 1\n") };
    const none = await loadProject(files);
    if (none.success) throw new Error("loaded");
    expect(renderAll(none.error)).toEqual([
      'invalid a.yaml:1:1 "tests" is missing; expected a list',
      expect.stringContaining('invalid b.yaml:2:1 Unknown key "x"'),
    ]);
    const top = await loadProject({
      ...files,
      "kindlm.yaml": `${config("[good.yaml, a.yaml]")}colour: red\n`,
      "good.yaml": suite("g"),
    });
    if (top.success) throw new Error("loaded");
    expect(renderAll(top.error)).toEqual([
      expect.stringContaining('kindlm.yaml:4:1 Unknown key "colour"'),
      'invalid a.yaml:1:1 "tests" is missing; expected a list',
    ]);
  });

  it("have prompt variants", async () => {
    const variants = "prompts: [{ id: one, system_prompt: A }, { id: two, system_prompt_file: two.md }]\n";
    const loaded = await loadedProject({
      "kindlm.yaml": config("[a.yaml]"),
      "a.yaml": suite("a", variants),
      "two.md": "B",
    });
    expect(testsOf(loaded)[0]?.prompts).toEqual([
      { id: "one", system: "A" },
      { id: "two", system: "B" },
    ]);
  });
});

import { describe, expect, it } from "vitest";
import { loadedProject, loadProject, renderAll, testsOf } from "../../__fixtures__/config-project.js";

const suiteOf = (name: string, assertions: string): string => `  - name: ${name}
    tests:
      - { name: a, input: hi, vars: { word: one }, assert: [${assertions}] }
      - { name: b, input: hi, vars: { word: two }, assert: [${assertions}] }
`;

const configOf = (...suites: readonly string[]): string =>
  `version: 1\nmodels: [{ id: m, provider: openai, model: gpt-4.1-mini }]\nsuites:\n${suites.join("")}`;

const templatesOf = async (files: Readonly<Record<string, string>>) =>
  testsOf(await loadedProject(files)).map(({ assertions }) => assertions);

describe("prepareAssertions", () => {
  it("has one object for an assertion that tests have in common, and one each for those that differ", async () => {
    const same = "{ type: contains, value: x }";
    const [a = [], b = [], c = []] = await templatesOf({
      "kindlm.yaml": configOf(suiteOf("s", `${same}, { type: latency, max: 5s }`), suiteOf("t", same)),
    });
    expect(a).toHaveLength(2);
    expect(a[0]).toBe(b[0]);
    expect(a[1]).toBe(b[1]);
    expect(a[0]).toBe(c[0]);
    expect(a[0]).not.toBe(a[1]);
    expect(a[0]).toMatchObject({ raw: { type: "contains", value: "x" }, parsed: { type: "contains" } });
  });

  it("takes paths from the folder of the file that has the assertion", async () => {
    const schema = "{ type: schema, schema_file: order.json }";
    const [a = [], , c = []] = await templatesOf({
      "kindlm.yaml": configOf(suiteOf("s", schema), "  - more/suite.yaml\n"),
      "order.json": "{}",
      "more/suite.yaml": `name: t\ntests: [{ name: a, input: hi, assert: [${schema}] }]\n`,
      "more/order.json": "{}",
    });
    expect(a[0]?.parsed).toMatchObject({ options: { schema_file: expect.stringMatching(/(?<!more).order\.json$/) } });
    expect(c[0]?.parsed).toMatchObject({ options: { schema_file: expect.stringMatching(/more.order\.json$/) } });
  });

  it("keeps the place of an assertion with a placeholder", async () => {
    const [a = [], b = []] = await templatesOf({
      "kindlm.yaml": configOf(suiteOf("s", '{ type: contains, value: "{{word}}" }')),
    });
    expect([a[0], b[0]]).toMatchObject([{ place: { position: { line: 6 } } }, { place: { position: { line: 7 } } }]);
  });

  it("reports an assertion that is wrong in every place", async () => {
    const loaded = await loadProject({ "kindlm.yaml": configOf(suiteOf("s", "{ type: contains }")) });
    expect(loaded.success ? [] : renderAll(loaded.error)).toEqual([
      expect.stringContaining("kindlm.yaml:6:"),
      expect.stringContaining("kindlm.yaml:7:"),
    ]);
  });
});

import { describe, expect, it } from "vitest";
import { makeProject } from "../__fixtures__/make-project.js";
import { scriptedConfig } from "../__fixtures__/scripted-config.js";
import { listCases } from "./list-cases.js";
import { runTests } from "./run-tests.js";
import { runConfig } from "./__fixtures__/run-config.js";

describe("the cases that runTests takes", () => {
  it("crosses models, rows and prompts, and names each case by them", async () => {
    const cwd = makeProject({
      "kindlm.yaml": `version: 1
models:
  - { id: a, provider: scripted, script: { rules: [{ when: { system: { $contains: polite } }, reply: { text: "please {{user}}" } }], otherwise: { text: "{{user}}" } } }
  - { id: b, provider: scripted, script: { otherwise: { text: nothing } } }
suites:
  - name: s
    prompts: [{ id: polite, system_prompt: Be polite }, { id: plain, system_prompt: Be plain }]
    tests:
      - { name: t, input: "{{word}}", rows: [{ id: one, word: red }, { word: blue }], assert: [{ type: contains, value: "{{word}}" }] }
`,
    });
    const listed = await listCases({ paths: [] }, { env: {}, cwd });
    const ids = listed.success ? listed.data.cases.map(({ id }) => id) : [];
    expect(ids).toHaveLength(8);
    expect(ids.slice(0, 2)).toEqual(["s/t[one]@a#polite", "s/t[one]@a#plain"]);
    const ran = await runTests(
      { paths: [], filters: { models: ["a"], tests: ["/#p(olite|lain)$/"], exclude: ["[one]"] } },
      { env: {}, cwd },
    );
    expect(ran.success && ran.data.summary).toMatchObject({ total: 2, passed: 2 });
  });

  it("judges a shard as a part of a run, with and without a journal", async () => {
    const cwd = makeProject({
      "kindlm.yaml": `${scriptedConfig({
        suites: `  - name: s
    tests:
      - { name: t, input: hi, assert: [{ type: contains, value: nothing }] }
      - { name: u, input: hi, assert: [{ type: contains, value: nothing }] }`,
      })}gates: { pass_rate: 0.5 }\n`,
    });
    const judged = (journal: boolean) => runTests({ paths: [], shard: { index: 1, of: 2 }, journal }, { env: {}, cwd });
    const part = { success: true, data: { run: { shard: { index: 1, of: 2 } }, gates: [] } };
    expect(await judged(true)).toMatchObject(part);
    expect(await judged(false)).toMatchObject(part);
  });

  it("refuses a pattern that matches no case beside others that do", async () => {
    const cwd = makeProject({
      "kindlm.yaml": scriptedConfig({
        suites: "  - { name: s, tests: [{ name: t, input: hi, assert: [{ type: contains, value: hello }] }] }",
      }),
    });
    const runWith = (...tests: string[]) => runTests({ paths: [], filters: { tests } }, { env: {}, cwd });
    expect(await runWith("s/t", "s/typo", "/^x/")).toMatchObject({
      success: false,
      error: { code: "CONFIG_VALIDATION_ERROR", message: 'No case matches "s/typo", "/^x/"' },
    });
    expect(await runWith("s/t", "@")).toMatchObject({ success: true, data: { summary: { total: 1 } } });
  });

  it.each([
    [{ suites: ["nope"] }, 'Suite "nope" not found'],
    [{ tags: ["smok"] }, 'Tag "smok" not found'],
    [{ models: ["x"] }, 'Model "x" not found'],
    [{ tests: ["zzz"] }, 'No case matches "zzz"'],
    [{ tests: ["/(/"] }, "The pattern /(/ is not a regular expression"],
  ])("refuses the filter %j", async (filters, message) => {
    const cwd = makeProject({
      "kindlm.yaml": scriptedConfig({
        suites: `  - { name: s, tags: [smoke], tests: [{ name: t, input: hi, assert: [{ type: contains, value: hello }] }] }`,
      }),
    });
    const ran = await runTests({ paths: [], filters }, { env: {}, cwd });
    expect(!ran.success && ran.error.message).toContain(message);
  });

  it("is no pass when a filter leaves nothing", async () => {
    const { result } = await runConfig(
      { suites: `  - { name: s, tests: [{ name: t, input: hi, assert: [{ type: contains, value: hello }] }] }` },
      { filters: { exclude: ["s/"] } },
    );
    expect(result).toMatchObject({
      verdict: "failed",
      exitCode: 1,
      reasons: ["no test ran: no case matches the filters (kindlm test --list shows all)"],
    });
  });

  it("counts the cases of a broken suite: by model, one that does not exist too, by row and by prompt", async () => {
    const { result } = await runConfig({
      suites: `  - { name: ok, tests: [{ name: t, input: hi, assert: [{ type: contains, value: hello }] }] }
  - name: b
    prompts: [{ id: p, system_prompt: a }, { id: q, system_prompt_file: none.md }]
    tests:
      - { name: rows, input: "{{c}}", rows: [{ id: x, c: 1 }, { id: y, c: 2 }], assert: [{ type: contains, value: hi }] }
      - { name: unread, input: "{{c}}", dataset: none.csv, models: [m, gone], assert: [{ type: contains, value: hi }] }`,
    });
    expect(result.suites[1]?.tests.map((test) => [test.id, test.prompt])).toEqual([
      ["b/rows[x]@m#p", "p"],
      ["b/rows[x]@m#q", "q"],
      ["b/rows[y]@m#p", "p"],
      ["b/rows[y]@m#q", "q"],
      ["b/unread@m#p", "p"],
      ["b/unread@m#q", "q"],
      ["b/unread@gone#p", "p"],
      ["b/unread@gone#q", "q"],
    ]);
    expect(result.summary).toMatchObject({ total: 9, passed: 1, skipped: 8 });
  });

  it("skips a broken suite with its error and runs the others", async () => {
    const { result, statuses } = await runConfig({
      suites: `  - { name: a, tests: [{ name: t, input: hi, assert: [{ type: contains, value: hello }] }] }
  - { name: b, system_prompt_file: prompts/missing.txt, tests: [{ name: t1, input: hi, assert: [{ type: contains, value: hello }] }, { name: t2, input: hi, assert: [{ type: contains, value: hello }] }] }`,
    });
    expect(statuses).toEqual({ "a/t@m": "passed", "b/t1@m": "skipped", "b/t2@m": "skipped" });
    expect(result.suites[1]).toMatchObject({ status: "skipped", error: { code: "CONFIG_FILE_REF_ERROR" } });
    expect(result).toMatchObject({ exitCode: 1, reasons: ["1 suite could not run"] });
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { draws } from "../../__fixtures__/draws.js";
import { makeProject } from "../../__fixtures__/make-project.js";
import { scriptedConfig } from "../../__fixtures__/scripted-config.js";
import type { TestResult, TrialResult } from "../../engine/run-result.js";
import type { RunTestsOptions } from "../../plan/run-options.js";
import { listCases } from "../../commands/list-cases.js";
import { runTests } from "../../commands/run-tests.js";
import { validateConfig } from "../../commands/validate-config.js";

/** Looks an order up, once more after an error that may be repeated, and says what it was told last. */
const rules = `[${[
  "{ when: { last_tool_result: { retryable: true } }, reply: { tool_calls: [{ tool: order, args: { id: A } }] } }",
  "{ when: { turn: 1, user: { $contains: order } }, reply: { tool_calls: [{ tool: order, args: { id: A } }] } }",
  "{ when: { turn: 1, user: { $contains: twice } }, reply: { tool_calls: [{ tool: order, args: { id: A } }, { tool: order, args: { id: B } }] } }",
].join(", ")}]`;
const otherwise = `{ text: "I was told: {{last_tool_result}}" }`;

interface Written {
  faults?: string;
  test?: string;
  input?: string;
  assert?: string;
  suite?: string;
}

function projectOf({ faults = "", test = "", input = "order", assert = "", suite = "" }: Written): string {
  const own = faults === "" ? "" : `faults: ${faults},`;
  return makeProject({
    "kindlm.yaml": scriptedConfig({
      rules,
      otherwise,
      suites: `  - name: s
    tools: [{ name: order, default: { return: { status: delivered } } }, { name: pay, default: { return: paid } }]
    timeouts: { tool: 5ms }
${suite}
    tests:
      - { name: t, input: ${input}, ${own} ${test} assert: [${assert || "{ type: contains, value: delivered }"}] }`,
    }),
  });
}

async function runProject(cwd: string, options: Partial<RunTestsOptions> = {}) {
  const ran = await runTests({ paths: [], ...options }, { env: {}, cwd });
  if (!ran.success) throw new Error(JSON.stringify(ran.error));
  const tests = ran.data.suites.flatMap((suite) => suite.tests);
  const trials: TrialResult[] = [];
  for await (const trial of ran.data.trials()) trials.push(trial);
  return { tests, trials, verdicts: tests.map(verdictOf), summary: ran.data.summary };
}

function verdictOf(test: TestResult): string {
  const why = test.status === "errored" ? ` ${test.error.code}: ${test.error.message}` : "";
  return `${test.id} ${test.status}${why}`;
}

const runWritten = (written: Written, options?: Partial<RunTestsOptions>) => runProject(projectOf(written), options);

describe("a run with faults", () => {
  it("lets the agent meet them, and keeps them on the record of the call", async () => {
    const { verdicts, trials } = await runWritten({ faults: "[{ tool: order, kind: error, call: 1 }]" });
    expect(verdicts).toEqual(["s/t@m passed"]);
    expect(trials[0]?.toolCalls.map(({ fault, error }) => [fault?.id, error?.message])).toEqual([
      ["error:order", "service unavailable"],
      [undefined, undefined],
    ]);
    expect(trials[0]?.faults).toMatchObject([{ id: "error:order", calls: 2, fired: 1, missed: null }]);
  });

  it.each([
    [
      "is meant for a call that was not made",
      { faults: "[{ tool: order, kind: error, call: 3 }]" },
      's/t@m errored ENGINE_FIXTURE_ERROR: The fault "error:order" never fired: it applies to call 3, but order was called once',
    ],
    [
      "found nothing to change",
      { faults: "[{ tool: 'o*', kind: drop_fields, fields: [total] }]" },
      's/t@m errored ENGINE_FIXTURE_ERROR: The fault "drop_fields:o*" never fired: the answer of call 1 had no field total',
    ],
    [
      "comes behind another",
      { faults: "[{ tool: order, kind: latency, delay: 1ms, call: 1 }, { tool: order, kind: duplicate, call: 1 }]" },
      's/t@m errored ENGINE_FIXTURE_ERROR: The fault "duplicate:order" never fired: the fault "latency:order" comes before it on call 1',
    ],
  ])("is errored where a fault %s", async (_name, written, expected) => {
    const { verdicts, tests, summary } = await runWritten(written);
    expect(verdicts).toEqual([expected]);
    expect(tests[0]).toMatchObject({ counted: 0, interval: null });
    expect(summary.passRate).toBeNull();
  });

  it.each([
    ["passed", "{ type: contains, value: delivered }"],
    ["failed", "{ type: contains, value: sorry }"],
  ])("leaves it to the assertions where the tool was never called: %s", async (status, assert) => {
    const { verdicts } = await runWritten({ faults: "[{ tool: pay, kind: hang }]", assert });
    expect(verdicts).toEqual([`s/t@m ${status}`]);
  });

  it("keeps the error that stopped the trial, where a fault could not fire because of it", async () => {
    const { verdicts } = await runWritten({
      faults: "[{ tool: order, kind: error, call: 9 }]",
      test: "limits: { max_tool_calls: 9, max_turns: 1 },",
    });
    expect(verdicts[0]).toContain("ENGINE_MAX_TURNS");
  });

  it("judges a fault with a rate per case", async () => {
    const met = await runWritten({ faults: "[{ tool: order, kind: error, rate: 0.3 }]", test: "runs: 20," });
    expect(met.verdicts).toEqual(["s/t@m passed"]);
    const fired = met.trials.filter((trial) => trial.faults?.some((fault) => fault.fired > 0)).length;
    expect(fired).toBeGreaterThan(0);
    expect(fired).toBeLessThan(20);
    const unmet = await runWritten({ faults: "[{ tool: order, kind: error, rate: 0.000001 }]", test: "runs: 3," });
    expect(unmet.trials.map((trial) => trial.status)).toEqual(["passed", "passed", "passed"]);
    expect(unmet.verdicts).toEqual([
      's/t@m errored ENGINE_FIXTURE_ERROR: The fault "error:order" never fired in any of 3 trials: 3 calls of order at a rate of 0.000001 did not trigger it',
    ]);
    expect(unmet.tests[0]).toMatchObject({ passes: 0, counted: 0, interval: null, mixed: false });
    expect(unmet.summary).toMatchObject({ errored: 1, passRate: null });
    const uncalled = await runWritten({ faults: "[{ tool: pay, kind: error, rate: 0.000001 }]" });
    expect(uncalled.verdicts).toEqual(["s/t@m passed"]);
  });

  it("takes the nearest list: a test's own, else its suite's; an empty one is none", async () => {
    const suite = "    faults: [{ tool: order, kind: error, call: 3 }]";
    expect((await runWritten({ suite })).verdicts[0]).toContain("never fired");
    expect((await runWritten({ suite, faults: "[]" })).verdicts).toEqual(["s/t@m passed"]);
    expect((await runWritten({ suite, faults: "[{ tool: order, kind: duplicate }]" })).verdicts).toEqual([
      "s/t@m passed",
    ]);
  });
});

const expanded = `{ expand: true, list: [{ tool: order, kind: error, call: 1 }, { id: spoilt, tool: order, kind: malformed_json }, { tool: order, kind: hang, call: 2 }] }`;

describe("expanded faults", () => {
  it("give the clean case and one for each, and `when` distinguishes them", async () => {
    const assert = `{ type: contains, value: delivered }, { type: max_tool_calls, tool: order, max: 1, when: { fault: null } }, { type: tool_called, tool: order, times: 2, when: { fault: "error:order" } }`;
    const { tests, verdicts, trials } = await runWritten({ faults: expanded, assert });
    expect(verdicts).toEqual([
      "s/t@m passed",
      "s/t@m+error:order passed",
      "s/t@m+spoilt passed",
      's/t@m+hang:order errored ENGINE_FIXTURE_ERROR: The fault "hang:order" never fired: it applies to call 2, but order was called once',
    ]);
    expect(tests.map((test) => test.fault)).toEqual([null, "error:order", "spoilt", "hang:order"]);
    expect(trials.map((trial) => trial.faults?.length)).toEqual([undefined, 1, 1, 1]);
  });

  it("stand in the list of cases, answer to filters, and count in what `validate` says", async () => {
    const cwd = projectOf({ faults: expanded, test: "rows: [{ id: 1 }, { id: 2 }]," });
    const list = async (tests: string[]) => {
      const listed = await listCases({ paths: [], filters: { tests } }, { env: {}, cwd });
      return listed.success ? listed.data.cases.map(({ id, fault }) => [id, fault]) : listed.error;
    };
    expect(await list([])).toHaveLength(8);
    expect(await list(["+spoilt"])).toEqual([
      ["s/t[1]@m+spoilt", "spoilt"],
      ["s/t[2]@m+spoilt", "spoilt"],
    ]);
    const validated = await validateConfig({}, { env: {}, cwd });
    expect(validated.success && validated.data.suites).toMatchObject([{ cases: 8, trials: 8 }]);
  });

  it("are counted where their suite is broken, too", async () => {
    const cwd = makeProject({
      "kindlm.yaml": scriptedConfig({
        suites: `  - { name: ok, tests: [{ name: t, input: hi, assert: [{ type: contains, value: hello }] }] }
  - { name: s, color: red, faults: ${expanded}, tools: [{ name: order }], tests: [{ name: t, input: hi, assert: [{ type: contains, value: x }] }] }`,
      }),
    });
    const { verdicts } = await runProject(cwd);
    expect(verdicts).toEqual([
      "ok/t@m passed",
      "s/t@m skipped",
      "s/t@m+error:order skipped",
      "s/t@m+spoilt skipped",
      "s/t@m+hang:order skipped",
    ]);
  });
});

describe("verdicts", () => {
  const kinds = ["error", "hang", "truncate", "drop_fields", "malformed_json", "duplicate"] as const;
  const fault = fc
    .record({
      kind: fc.constantFrom(...kinds),
      when: fc.constantFrom("call: 1", "call: 2", "times: 1", "rate: 0.4", "rate: 0.05"),
      tool: fc.constantFrom("order", "'*'", "pay"),
    })
    .map(({ kind, when, tool }) => `{ tool: ${tool}, kind: ${kind}, ${when} }`);

  it("are the same at concurrency 1 and 50, and in the next run", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fault, { minLength: 1, maxLength: 3 }), fc.boolean(), async (list, expand) => {
        const faults = expand ? `{ expand: true, list: [${list.join(", ")}] }` : `[${list.join(", ")}]`;
        const cwd = projectOf({
          faults,
          input: "twice",
          test: "runs: 4, pass: 2, rows: [{ id: 1 }, { id: 2 }, { id: 3 }],",
        });
        const [alone, together, again] = [
          await runProject(cwd, { concurrency: 1 }),
          await runProject(cwd, { concurrency: 50 }),
          await runProject(cwd, { concurrency: 50 }),
        ];
        expect(together.verdicts).toEqual(alone.verdicts);
        expect(again.verdicts).toEqual(alone.verdicts);
        const toldBy = ({ trials }: typeof alone) =>
          trials
            .map(({ caseId, trial, messages }) => JSON.stringify([caseId, trial, messages]))
            .toSorted((a, b) => (a < b ? -1 : 1));
        expect(toldBy(together)).toEqual(toldBy(alone));
        expect(alone.verdicts).toHaveLength(3 * (expand ? list.length + 1 : 1));
      }),
      { numRuns: draws({ brief: 5, full: 60 }) },
    );
  }, 60_000);
});

describe("the state of a trial", () => {
  it("begins again in each, with what its case knows, a test's keys before its suite's", async () => {
    const cwd = makeProject({
      "kindlm.yaml": scriptedConfig({
        rules,
        otherwise,
        suites: `  - name: s
    state: { who: "{{name}}", count: { left: 3 }, kept: yes }
    tools: [{ name: order, default: { set: { "count.left": "{{state.count.left}}!" }, return: "{{state.who}} {{state.count.left}} {{state.kept}}" } }]
    tests:
      - { name: t, input: order, runs: 2, state: { kept: "no" }, rows: [{ id: a, name: Jo }, { id: b, name: Al }], assert: [{ type: equals, value: "I was told: {{name}} 3! no" }] }`,
      }),
    });
    const { verdicts, trials } = await runProject(cwd);
    expect(verdicts).toEqual(["s/t[a]@m passed", "s/t[b]@m passed"]);
    expect(trials.map((trial) => trial.toolCalls[0]?.stateChanges)).toEqual(
      Array.from({ length: 4 }, () => [{ path: "count.left", from: 3, to: "3!" }]),
    );
  });
});

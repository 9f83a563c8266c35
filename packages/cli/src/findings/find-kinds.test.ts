import { describe, expect, it } from "vitest";
import { erroredCase, failedCase, inSuite, sampleAssertion } from "../../../core/src/__fixtures__/sample-run.js";
import { kindlmError, type RunResult, type TestResult, type TrialResult } from "@kindlm/core";
import { findCauses } from "./find-causes.js";
import { findKinds } from "./find-kinds.js";

const same = (text: string): string => text;

const missing = (value: string, answer: string) =>
  sampleAssertion({ pass: false, score: 0, expected: value, actual: answer });
const wrong = (amount: unknown, expected: unknown) =>
  sampleAssertion({
    type: "tool_called",
    pass: false,
    score: 0,
    message: "",
    expected: { tool: "issue_refund", args: { amount: expected } },
    actual: { tool: "issue_refund", args: { amount } },
  });

/** A run of the cases whose trials fail with these assertions; null for a trial that passes. */
async function runOf(
  cases: Readonly<Record<string, readonly (ReturnType<typeof missing> | null)[]>>,
): Promise<RunResult> {
  const tests: TestResult[] = Object.keys(cases).map((name) => failedCase(name));
  const run = inSuite(tests);
  const stored = new Map<string, TrialResult[]>();
  for await (const sample of run.trials()) {
    const results = Object.entries(cases).find(([name]) => sample.caseId === `Suite A/${name}@gpt`)?.[1] ?? [];
    stored.set(
      sample.caseId,
      results.map((result, index) => ({
        ...sample,
        trial: index + 1,
        status: result === null ? "passed" : "failed",
        error: null,
        assertions: result === null ? [] : [result],
      })),
    );
  }
  return {
    ...run,
    async *trials(caseId) {
      for (const [id, trials] of stored) if (caseId === undefined || id === caseId) yield* trials;
    },
  };
}

describe("findKinds", () => {
  it("groups cases by what failed, the most cases first, whatever the values", async () => {
    const run = await runOf({
      a: [missing("delivered", "It is on its way.")],
      b: [wrong(1, 49.99)],
      c: [wrong(1, 120)],
      d: [wrong("1", 120)],
    });
    const kinds = await findKinds(run, same);
    expect(
      kinds.map(({ number, title, columns, cases }) => ({
        number,
        title,
        columns,
        cases: cases.map(({ test, values, reason }) => [test.name, values, reason]),
      })),
    ).toEqual([
      {
        number: 1,
        title: "issue_refund is called with the wrong amount",
        columns: ["amount", "expected"],
        cases: [
          ["b", ["1", "49.99"], "amount 1, expected 49.99"],
          ["c", ["1", "120"], "amount 1, expected 120"],
        ],
      },
      {
        number: 2,
        title: 'The answer does not contain "delivered"',
        columns: ["answer"],
        cases: [["a", ["It is on its way."], 'the answer does not contain "delivered"']],
      },
      {
        number: 3,
        title: "issue_refund is called with the wrong amount",
        columns: ["amount", "expected"],
        cases: [["d", ['"1"', "120"], 'amount "1", expected 120']],
      },
    ]);
  });

  it("leaves the values out of a title that does not hold for all cases", async () => {
    const kinds = await findKinds(await runOf({ a: [missing("x", "")], b: [missing("y", "no")] }), same);
    expect(kinds).toMatchObject([{ title: "The answer does not contain the expected text", columns: ["answer"] }]);
    expect(kinds[0]?.cases.map(({ values }) => values)).toEqual([["(empty)"], ["no"]]);
  });

  it("shows the first trial that failed in the commonest way", async () => {
    const run = await runOf({ a: [null, missing("x", "-"), wrong(1, 2), wrong(3, 2), null] });
    const [kind, ...others] = await findKinds(run, same);
    expect(others).toEqual([]);
    expect(kind?.cases[0]).toMatchObject({ trial: 3, values: ["1", "2"] });
  });

  it("reads one trial at a time, and none of a case that did not fail", async () => {
    const run = await runOf({ a: [wrong(1, 2)], b: [wrong(1, 2)] });
    const error = kindlmError("UNKNOWN_ERROR", "x");
    const read: string[] = [];
    const [suite] = run.suites;
    await findKinds(
      {
        suites: [{ status: "run", name: "", file: "", tests: [...(suite?.tests ?? []), erroredCase("c", error)] }],
        async *trials(caseId) {
          for await (const trial of run.trials(caseId)) {
            read.push(`begin ${trial.caseId}`);
            yield trial;
            read.push("end");
          }
        },
      },
      same,
    );
    expect(read).toEqual(["begin Suite A/a@gpt", "end", "begin Suite A/b@gpt", "end"]);
  });

  it("keeps a case whose trials are lost", async () => {
    const kinds = await findKinds(await runOf({ a: [] }), same);
    expect(kinds).toMatchObject([
      { title: "The conversation of the case is not in the journal", cases: [{ trial: 0 }] },
    ]);
  });
});

describe("findCauses", () => {
  const limited = (seconds: number, model = "gpt") =>
    kindlmError("PROVIDER_RATE_LIMIT", `OpenAI rate limit hit. Retry after ${seconds} seconds.`, {
      details: { provider: "OpenAI", model, retryAfterMs: seconds * 1_000 },
    });
  const broken = kindlmError("TARGET_ERROR", "agent.py crashed", { details: { kind: "unexpected" } });

  it("groups errors that differ in figures alone, and says what fixes them", () => {
    const tests = [
      erroredCase("a", broken),
      erroredCase("b", limited(30)),
      erroredCase("c", limited(29)),
      erroredCase("d", limited(30, "gpt-mini")),
    ];
    const causes = findCauses(inSuite(tests), { redact: (text) => text.replaceAll("agent", "***") });
    expect(causes.map(({ number, title, fix, cases }) => [number, title, fix, cases.map(({ name }) => name)])).toEqual([
      [
        1,
        "OpenAI rate limit hit. Retry after 30 seconds.",
        ["Reduce concurrency with --concurrency 1 or add retry config"],
        ["b", "c"],
      ],
      [2, "***.py crashed", ["Run the *** by hand. --verbose shows its output"], ["a"]],
      [
        3,
        "OpenAI rate limit hit. Retry after 30 seconds.",
        ["Reduce concurrency with --concurrency 1 or add retry config"],
        ["d"],
      ],
    ]);
  });
});

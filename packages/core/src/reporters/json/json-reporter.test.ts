import { Ajv } from "ajv";
import formats from "ajv-formats";
import { describe, expect, it } from "vitest";
import {
  erroredCase,
  failedCase,
  passedCase,
  inSuite,
  sampleAssertion,
  sampleRun,
  threeSuites,
} from "../../__fixtures__/sample-run.js";
import { sampleComparison } from "../../__fixtures__/sample-comparison.js";
import type { RunResult } from "../../engine/run-result.js";
import { kindlmError } from "../../errors/kindlm-error.js";
import type { Message } from "../../transcript/message.js";
import { isRecord, type JsonObject, type JsonValue } from "../../values/json.js";
import type { RenderOptions } from "../define-reporter.js";
import { renderToString } from "../render-to-string.js";
import { jsonReporter } from "./json-reporter.js";
import { runResultJsonSchema } from "./report-shape.js";

async function report(result: RunResult, options: Partial<RenderOptions> = {}): Promise<JsonObject> {
  const rendered = await renderToString(jsonReporter, result, options);
  if (!rendered.success) throw new Error(rendered.error.message);
  return JSON.parse(rendered.data) as JsonObject;
}

/** The schema with every object closed, so that a key that it does not know is found. */
function closed(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(closed);
  if (!isRecord(schema)) return schema;
  const entries = Object.entries(schema).map(([key, value]) => [key, closed(value)] as const);
  const object = Object.fromEntries<JsonValue>(entries);
  return isRecord(object["properties"]) && "required" in object ? { ...object, additionalProperties: false } : object;
}

const ajv = new Ajv({ strict: false, allErrors: true, code: { optimize: false } });
formats.default(ajv);
const validate = ajv.compile(closed(runResultJsonSchema()) as JsonObject);

const rich = (): RunResult => {
  const failing = sampleAssertion({
    pass: false,
    score: 1 / 3,
    expected: { tool: "a", args: { x: 1n } },
    actual: undefined,
    parts: [sampleAssertion({ skipped: true, userTurn: 2, id: "first", weight: 2 })],
    sensitive: ["555-1234"],
  });
  const toolCalls = [
    { tool: "call", args: { phone: "555-1234" }, result: { ok: true }, durationMs: 1.23456 },
    { tool: "call", args: undefined, error: { errorType: "runtime" as const, message: "no", retryable: true } },
  ];
  const tests = [failedCase("a", { costUsd: null }, { assertions: [failing], toolCalls, output: "call 555-1234" })];
  const git = { commit: "abc", branch: null, dirty: true };
  const run = { ...sampleRun([]).run, git };
  return sampleRun([{ status: "run", name: "Suite A", file: "kindlm.yaml", tests }], {
    run,
    gates: [{ name: "pass_rate", scope: "run", pass: false, limit: 0.95, actual: null, message: "nothing counts" }],
    comparison: sampleComparison(),
    warnings: [{ code: "CONFIG_VALIDATION_ERROR", severity: "warning", message: "pointless gate" }],
  });
};

const conversation: readonly Message[] = [
  { role: "user", content: [{ type: "text", text: "call 555-1234" }] },
  {
    role: "assistant",
    text: "",
    toolCalls: [{ id: "c1", tool: "call", args: undefined, malformed: { raw: "{", reason: "no JSON" } }],
    providerData: { signature: "opaque" },
  },
  { role: "tool", callId: "c1", tool: "call", content: "no such number", isError: true },
  { role: "user", content: "Please continue", isNudge: true },
  { role: "assistant", text: "I called hunter2", toolCalls: [] },
];

/** A failed, an errored and a passed case of three trials each, with a conversation in every trial and rejected try. */
function withConversations(): RunResult {
  const error = kindlmError("ENGINE_MAX_TURNS", "The agent was still calling tools");
  const tests = [
    failedCase("failed", { runs: 3, decisiveTrial: 2 }),
    erroredCase("errored", error, { runs: 3, decisiveTrial: 1 }),
    passedCase("passed", { runs: 3, decisiveTrial: 3 }),
  ];
  const run = inSuite(tests);
  const rejected = [{ userTurn: 1, try: 1, reason: "no", output: "", messages: conversation, assertions: [] }];
  const tries = { count: 2, firstTry: false, approved: true, rejected };
  return {
    ...run,
    async *trials(caseId) {
      for await (const plain of run.trials(caseId))
        for (const trial of [1, 2, 3]) {
          const assertions = [sampleAssertion({ sensitive: ["555-1234"] })];
          yield { ...plain, trial, assertions, tries, messages: conversation };
        }
    },
  };
}

interface Conversations {
  suites: { tests: { trials: { messages?: unknown[]; tries: { rejected: { messages?: unknown[] }[] } }[] }[] }[];
}

/** How many messages the trials of each case have in the report, and their rejected tries. */
function messageCounts(data: JsonObject): (number | undefined)[][][] {
  const { suites } = JSON.parse(JSON.stringify(data)) as Conversations;
  return suites.flatMap(({ tests }) =>
    tests.map(({ trials }) =>
      trials.map(({ messages, tries }) => [messages?.length, tries.rejected[0]?.messages?.length]),
    ),
  );
}

const severalModels = (): RunResult => {
  const tried = { runs: 4, counted: 4, passes: 2, mixed: true };
  const tests = [
    passedCase("a", { ...tried, endedEarly: false, trialsRun: 4 }),
    failedCase("a", { ...tried, model: "claude", endedEarly: true, trialsRun: 3, interval: null }),
    passedCase("b", tried),
    passedCase("b", { ...tried, model: "claude", passes: 1 }),
    failedCase("c", { allowFailure: "bug 42" }),
    passedCase("d", { allowFailure: "bug 41", prompt: "short" }),
  ];
  const run = sampleRun([{ status: "run", name: "Suite A", file: "kindlm.yaml", tests }]);
  const [ofSuite] = run.suiteSummaries;
  if (ofSuite === undefined) throw new Error("no summary");
  const { meanRate, errorRate, passK = [], earlyEnd = { cases: 0, endedEarly: 0 } } = ofSuite;
  const judgeScore = { mean: 1 / 3, count: 6 };
  const suiteSummaries = [{ ...ofSuite, judgeScore, replayed: 2, firstTryRate: null, firstTryInterval: null }];
  const gate = { name: "judge_avg", pass: false, limit: 0.9, actual: 1 / 3, message: "judge_avg is 0.3333" };
  return {
    ...run,
    summary: { ...run.summary, meanRate, errorRate, passK, earlyEnd, judgeScore },
    suiteSummaries,
    gates: [
      { ...gate, scope: "run" },
      { ...gate, scope: "suite", suite: "Suite A", evaluated: false },
    ],
  };
};

describe("jsonReporter", () => {
  it.each([
    ["the example of the specification", threeSuites],
    ["a run that uses every field", rich],
    ["several models, flaky and quarantined cases, early ends and gates of suites", severalModels],
    ["a run without suites", () => sampleRun([])],
    ["conversations", withConversations],
  ])("satisfies its own schema with %s", async (_, makeRun) => {
    const data = await report(makeRun());
    expect(validate(data), JSON.stringify(validate.errors)).toBe(true);
  });

  it("has a schema that refuses another report", async () => {
    expect(validate({ ...(await report(sampleRun([]))), verdict: "maybe" })).toBe(false);
    expect(validate({ ...(await report(sampleRun([]))), extra: 1 })).toBe(false);
  });

  it("has what rates, models, flaky and quarantined cases came to", async () => {
    expect(await report(severalModels())).toMatchObject({
      summary: {
        meanRate: { mean: 0.375, cases: 2, clusters: 1, standardError: null },
        judgeScore: { mean: 0.333333 },
      },
      gates: [{ scope: "run" }, { scope: "suite", suite: "Suite A", evaluated: false }],
      flaky: [{ id: "Suite A/a@gpt", passes: 2, counted: 4 }, {}, {}, { passes: 1 }],
      quarantine: [
        { test: "c", reason: "bug 42", failed: 1, passesAgain: false },
        { test: "d", reason: "bug 41", failed: 0, passesAgain: true },
      ],
      models: {
        variants: [{ name: "gpt" }, { name: "claude" }, { name: "gpt#short", prompt: "short", rate: null }],
        tests: [{ test: "a" }, { test: "b", cells: [{ rate: 0.5 }, { rate: 0.25 }, null] }, {}, {}],
        differences: [{ from: "gpt", to: "claude", cases: 1, mean: -0.25, p: 1 }],
      },
      suites: [
        {
          summary: {
            earlyEnd: { cases: 2, endedEarly: 1 },
            replayed: 2,
            passK: [{ k: 1, passHatK: 0.375 }, {}, {}, {}],
          },
          tests: [
            { endedEarly: false, trialsRun: 4 },
            { endedEarly: true, trialsRun: 3, interval: null },
            {},
            {},
            {},
            {},
          ],
        },
      ],
    });
    expect(await report(threeSuites())).not.toHaveProperty("models");
  });

  it("nests the trials of each case and rounds costs", async () => {
    const data = await report(threeSuites());
    expect(data).toMatchObject({
      schemaVersion: 2,
      suites: [
        {
          name: "Suite A",
          status: "run",
          error: null,
          tests: [
            { id: "Suite A/Test 1@gpt", trials: [{ trial: 1, costUsd: 0.3, latencyMs: 812.346 }] },
            { status: "failed" },
            { status: "errored", error: { code: "PROVIDER_TIMEOUT", number: 203 } },
          ],
        },
        { status: "skipped", error: { number: 103 }, tests: [{ status: "skipped", trials: [] }, {}] },
        {},
      ],
    });
  });

  it("gives a case the assertions of its decisive trial, and none where that is lost", async () => {
    const trialsOf = (run: RunResult): RunResult["trials"] =>
      async function* (caseId) {
        for await (const plain of run.trials(caseId)) {
          for (const trial of [1, 2, 3]) {
            yield { ...plain, trial, assertions: [sampleAssertion({ message: `of trial ${trial}` })] };
          }
        }
      };
    const tests = [passedCase("a", { decisiveTrial: 2 }), passedCase("b", { decisiveTrial: 4 })];
    const run = sampleRun([{ status: "run", name: "Suite A", file: "f", tests }]);
    expect(await report({ ...run, trials: trialsOf(run) })).toMatchObject({
      suites: [{ tests: [{ assertions: [{ message: "of trial 2" }], trials: [{}, {}, {}] }, { assertions: [] }] }],
    });
  });

  it("shows the conversation of the shown trial of each case that did not pass", async () => {
    const [none, shown] = [
      [undefined, undefined],
      [5, 5],
    ];
    expect(messageCounts(await report(withConversations()))).toEqual([
      [none, shown, none],
      [shown, none, none],
      [none, none, none],
    ]);
  });

  it("shows another trial of a failed case if it is told to", async () => {
    const shownTrial = (): Promise<number> => Promise.resolve(3);
    const [failed, errored] = messageCounts(await report(withConversations(), { shownTrial }));
    expect([failed?.[1], failed?.[2]]).toEqual([
      [undefined, undefined],
      [5, 5],
    ]);
    expect(errored?.[0]).toEqual([5, 5]);
  });

  it("shows the conversations of all trials in verbose reports, as their schema has them, and masked", async () => {
    const redact = (text: string): string => text.replaceAll("hunter2", "[secret]");
    const data = await report(withConversations(), { verbose: true, redact });
    expect(messageCounts(data).flat(2)).toEqual(Array.from({ length: 18 }, () => 5));
    expect(validate(data), JSON.stringify(validate.errors)).toBe(true);
    expect(JSON.stringify(data)).not.toMatch(/hunter2|555-1234|opaque|isNudge/);
    expect(JSON.stringify(data)).toContain('{"role":"assistant","text":"I called [secret]","toolCalls":[]}');
  });

  it("masks what assertions found to be sensitive, everywhere", async () => {
    expect(JSON.stringify(await report(rich()))).not.toContain("555-1234");
  });

  it("keeps what a provider said to verbose reports", async () => {
    const error = kindlmError("PROVIDER_API_ERROR", "OpenAI returned 500", {
      details: { provider: "OpenAI", status: 500, body: "the whole body" },
    });
    const run = sampleRun([{ status: "run", name: "Suite A", file: "f", tests: [erroredCase("a", error)] }]);
    expect(JSON.stringify(await report(run))).not.toContain("the whole body");
    expect(JSON.stringify(await report(run, { verbose: true }))).toContain("the whole body");
  });

  it("yields whole lines, one test at a time", async () => {
    const tests = Array.from({ length: 300 }, (_, index) => passedCase(`t${index}`));
    const run = sampleRun([{ status: "run", name: "Suite A", file: "f", tests }]);
    const options = { verbose: false, color: false, width: 80, redact: (text: string) => text };
    let longest = 0;
    for await (const piece of jsonReporter.render(run, options)) longest = Math.max(longest, piece.length);
    expect(longest).toBeLessThan(2_000);
    expect(await report(run)).toMatchObject({ summary: { total: 300 } });
  });
});

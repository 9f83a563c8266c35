import { describe, expect, it } from "vitest";
import {
  erroredCase,
  failedCase,
  passedCase,
  sampleAssertion,
  sampleRun,
  skippedCase,
  threeSuites,
  inSuite,
} from "../../../../core/src/__fixtures__/sample-run.js";
import { sampleComparison } from "../../../../core/src/__fixtures__/sample-comparison.js";
import { rendererOf } from "../../../../core/src/__fixtures__/render-report.js";
import { kindlmError, type RunResult } from "@kindlm/core";
import { prettyReporter } from "./pretty-reporter.js";

const render = rendererOf(prettyReporter);

describe("prettyReporter", () => {
  it("draws the example of the specification", async () => {
    const text = await render(threeSuites());
    // The figures of a suite are on the right.
    expect(text.replaceAll(/ {5}\d+ passed.*$/gm, "")).toContain(
      [
        "Run",
        "├── Suite A (3 tests)",
        "│   ├── Test 1: passed",
        '│   ├── Test 2: failed (Expected "hello" in the answer)',
        "│   └── Test 3: errored (OpenAI request timed out after 30000ms)",
        "├── Suite B (2 tests) — skipped (invalid config reference)",
        '│   └── Error: system_prompt_file "prompts/missing.txt" not found',
        "└── Suite C (2 tests)",
        "    ├── Test 1: passed",
        "    └── Test 2: passed",
        "",
      ].join("\n"),
    );
    expect(text).toMatch(/^├── Suite A \(3 tests\) +1 passed +1\/2 +2\.4 s +\$0\.0030$/m);
    expect(text).toMatch(
      /\nSummary: 3 passed, 1 failed, 1 errored, 2 skipped \(Suite B\)\nExit code: 1\n {2}again {2}kindlm test --rerun-failed {7}closer {2}kindlm show 1\n$/,
    );
    expect(text).toMatch(/^Pass rate 75% \(30\.1–95\.4\) +\$0\.0123 in 1\.2 s\n9 requests, 2 retries\n/m);
  });

  it("reports equal problems of several suites once, and names the suites", async () => {
    const wrong = (message: string, file: string, line: number) =>
      ({
        code: "CONFIG_VALIDATION_ERROR",
        severity: "error",
        message,
        position: { file, line, column: 1, length: 1 },
      }) as const;
    const skipped = (name: string, diagnostics: readonly ReturnType<typeof wrong>[]) => {
      const error = kindlmError("CONFIG_VALIDATION_ERROR", "not valid", { details: { diagnostics } });
      return { status: "skipped", name, file: `${name}.yaml`, error, diagnostics, tests: [] } as const;
    };
    const tagz = (name: string) => Array.from({ length: 600 }, (_, index) => wrong("tagz", `${name}.yaml`, index + 1));
    const kinds = Array.from({ length: 7 }, (_, index) => wrong(`kind ${index}`, "d.yaml", index));
    const text = await render(
      sampleRun([
        skipped("a", tagz("a")),
        skipped("b", tagz("b")),
        skipped("c", tagz("c")),
        skipped("d", kinds),
        skipped("e", []),
      ]),
    );
    expect(text).toContain("│   └── Error: tagz (600 times)\n");
    expect(text).toContain("│   ├── Error: kind 4\n│   └── … and 2 more kinds\n");
    const [, section = ""] = text.split("SKIPPED  5 suites\n");
    const shown = section.slice(0, section.indexOf("\nPass rate")).replaceAll(/\n.*d\.yaml:.*/g, "");
    const kindLines = kinds.map(({ message, position }) => `  ✗ Config error: ${message} at line ${position.line}\n`);
    expect(shown).toBe(`
  a
  ✗ Config error: tagz at line 1
    a.yaml:1:1
    and at 1,799 more places in 3 files: lines 2, 3, 4, b.yaml:1, c.yaml:1, …

  d
${kindLines.join("")}
  e
  ✗ Config error: not valid

  Also skipped: b, c

  ✗ 1,807 errors in 4 files, 8 kinds
`);
  });

  it.each([
    [19.53, "m at 19.5 per second"],
    [0.999, "m at 60 per minute"],
    [0.042, "m at 2.5 per minute"],
  ])("says what the limiter settled on in words that are not 0: %s", async (ratePerSecond, words) => {
    const run = threeSuites();
    const limiter = { limit: 3, rateLimits: 1, lanes: [{ lane: "m", ratePerSecond, rateLimits: 1 }] };
    const providers = run.summary.providers.map((totals) => ({ ...totals, limiter }));
    const text = await render({ ...run, summary: { ...run.summary, providers } }, { verbose: true });
    expect(text).toContain(`limiter settled on 3 at a time, ${words}\n`);
  });

  it("marks the argument that differs below its call", async () => {
    const assertion = sampleAssertion({
      type: "tool_called",
      pass: false,
      message: "not with these arguments",
      expected: { tool: "lookup", args: { id: "ORD-1", any: { $regex: "x" }, limit: 5 } },
    });
    const toolCalls = [
      { tool: "lookup", args: { id: "ORD-2", any: "y", limit: 5 }, result: { ok: true } },
      {
        tool: "other",
        args: { id: "ORD-3" },
        error: { errorType: "runtime" as const, message: "down", retryable: true },
      },
    ];
    const text = await render(inSuite([failedCase("a", {}, { assertions: [assertion], toolCalls })]));
    expect(text).toContain(
      [
        "     agent   lookup",
        '             ✗ id     "ORD-2"     expected "ORD-1"',
        '             ✗ any    "y"         expected matching /x/',
        "               limit  5",
        "     tool    ok true",
        '     agent   other  id "ORD-3"',
        "     tool    runtime error: down",
        "     agent   hello",
        "",
      ].join("\n"),
    );
  });

  it("keeps what surrounds the first difference of long values, also in the table of other cases", async () => {
    const start = "order of the customer ".repeat(20);
    const failed = (name: string, amount: number) => {
      const args = { note: `${start}amount ${amount} eur${start}` };
      const expected = { tool: "pay", args: { note: `${start}amount 1250 eur${start}` } };
      const assertions = [
        sampleAssertion({ type: "tool_called", pass: false, expected, actual: { tool: "pay", args } }),
      ];
      return failedCase(name, {}, { assertions, toolCalls: [{ tool: "pay", args }] });
    };
    const text = await render(inSuite([failed("a", 1), failed("b", 99)]), { width: 80 });
    const [, transcript = "", table = ""] = /(✗ note .*?\n) {5}agent.*?(also .*?)\n\n/s.exec(text) ?? [];
    expect(transcript).toMatch(/…ustomer amount 1 eur.*expected …ustomer amount 1250 eur/s);
    expect(table).toMatch(/b@gpt .*amount 99 .*amount 1250/);
    expect(text.split("\n").filter((line) => line.length > 79)).toEqual([]);
  });

  it("marks what the matcher rejected, and nothing that it accepts", async () => {
    const args = { filter: { amount: 7, extra: 1, tags: ["b", "a"] }, $top: 3, id: 9007199254740992 };
    const toolCalls = [{ tool: "find", args, exactIntegers: { "/id": "9007199254740993" } }];
    const wanted = (amount: object, id: string): object => ({
      filter: { amount, tags: { $unordered: ["a", "b"] } },
      $$top: { $lte: 3 },
      id: { $integer: id },
    });
    const linesFor = async (expected: object): Promise<string[]> => {
      const assertions = [
        sampleAssertion({ type: "tool_called", pass: false, expected: { tool: "find", args: expected } }),
      ];
      const text = await render(inSuite([failedCase("a", {}, { assertions, toolCalls })]));
      return text.split("\n").filter((line) => line.includes("   expected "));
    };
    expect(await linesFor(wanted({ $gt: 5 }, "9007199254740993"))).toEqual([]);
    expect(await linesFor(wanted({ $gt: 10 }, "9007199254740995"))).toEqual([
      "             ✗ filter.amount  7                  expected more than 10",
      "             ✗ id             9007199254740993   expected the integer",
    ]);
  });

  it("marks only the nearest miss where the assertion names it, and nothing for a call that must not happen", async () => {
    const toolCalls = ["ORD-2", "ORD-3"].map((id) => ({ tool: "lookup", args: { id } }));
    const expected = { tool: "lookup", args: { id: "ORD-1" } };
    const actual = { tool: "lookup", args: { id: "ORD-3" } };
    const marks = async (type: string): Promise<number> => {
      const assertions = [sampleAssertion({ type, pass: false, expected, actual })];
      return (
        (await render(inSuite([failedCase("a", {}, { assertions, toolCalls })]))).split('expected "ORD-1"').length - 1
      );
    };
    expect(await marks("tool_called")).toBe(1);
    expect(await marks("tool_not_called")).toBe(0);
  });

  it("groups errored cases by cause", async () => {
    const error = kindlmError("PROVIDER_RATE_LIMIT", "429");
    const tests = ["a", "b", "c", "d", "e", "f"].map((name) => erroredCase(name, error));
    const text = await render(inSuite(tests));
    expect(text.slice(text.indexOf("\nERRORED"), text.indexOf("\nPass rate"))).toBe(`
ERRORED  1 cause, 6 cases · no verdict about the agent

! 1  Provider rate limit hit.                                           6 cases
     Reduce concurrency with --concurrency 1 or add retry config
     then  kindlm test --resume
     Suite A/a@gpt, Suite A/b@gpt, Suite A/c@gpt, Suite A/d@gpt, Suite A/e@gpt,
     and 1 more
`);
  });

  it("shows of a large suite what did not pass, and all of it when verbose", async () => {
    const error = kindlmError("PROVIDER_RATE_LIMIT", "429");
    const tests = [
      ...Array.from({ length: 20 }, (_, index) => passedCase(`t${index}`)),
      skippedCase("left out"),
      ...Array.from({ length: 9 }, (_, index) => failedCase(`bad${index}`)),
      erroredCase("down", error),
      erroredCase("dead", error),
    ];
    const text = await render(inSuite(tests));
    expect(text).toMatch(/^└── Suite A \(32 tests\) +20 passed {3}1 skipped +20\/29 /m);
    expect(text).toContain(
      "    ├── bad8@gpt: failed (kind 1)\n    ├── down@gpt: errored (cause 1)\n    └── … and 2 more\n\nFAILED",
    );
    expect(text).not.toContain("t3");
    expect(await render(inSuite(tests), { verbose: true })).toContain("├── t3: passed");
  });

  it("reads the trials of failed cases, and of the first of each cause of errors, alone", async () => {
    const error = kindlmError("PROVIDER_RATE_LIMIT", "429");
    const errored = ["c", "e", "f", "g", "h", "i", "j"].map((name) => erroredCase(name, error));
    const run = inSuite([passedCase("a"), failedCase("b"), ...errored, skippedCase("d")]);
    const read = new Set<string | undefined>();
    const trials: RunResult["trials"] = (caseId) => {
      read.add(caseId);
      return run.trials(caseId);
    };
    expect(await render({ ...run, trials })).toBe(await render(run));
    expect([...read]).toEqual(["b", "c", "e", "f", "g", "h"].map((name) => `Suite A/${name}@gpt`));
  });

  it("shows a failure whose trial is lost by its verdict", async () => {
    const text = await render(inSuite([failedCase("a", { decisiveTrial: 2 })]));
    expect(text).toContain("└── a: failed\n");
    expect(text).toContain("\n\n     Suite A/a@gpt\n\n     agent   hello\n");
  });

  it("says what would make a regression fail the run, unless a gate asks already", async () => {
    const comparison = sampleComparison();
    const gate = { name: "regressions", scope: "run" as const, pass: false, limit: 0, actual: 1, message: "1" };
    const advice = "No gate limits regressions. To fail the run, set gates: { regressions: 0 }.";
    expect(await render(inSuite([passedCase("a")], { comparison }))).toContain(advice);
    expect(await render(inSuite([passedCase("a")], { comparison, gates: [gate] }))).not.toContain(advice);
    expect(await render(inSuite([passedCase("a")], { comparison: { ...comparison, verdict: "ok" } }))).not.toContain(
      advice,
    );
  });

  it("says how many runs of a mixed case passed, and what it needs", async () => {
    const text = await render(inSuite([failedCase("a", { mixed: true, passes: 2, counted: 3, runs: 3, required: 3 })]));
    expect(text.replaceAll(/\n +/g, " ")).toContain("— 2 of 3 runs passed (needs 3)");
    expect(text).toContain("     Suite A/a@gpt   2 of 3, needs 3   trial 1 is shown\n");
  });

  it("names cases by their id where a test has several", async () => {
    const tests = [passedCase("a"), passedCase("a", { id: "Suite A/a@claude", model: "claude" }), skippedCase("b")];
    const text = await render(inSuite(tests));
    expect(text).toMatch(/Suite A \(3 cases\) .*\n {4}├── a@gpt: passed\n {4}├── a@claude: passed\n/);
    expect(text).toContain("b: skipped (skip: true)");
  });

  it("shows unknown costs as unknown, gates, reasons and interruption", async () => {
    const { summary, run } = sampleRun([]);
    const text = await render(
      inSuite([passedCase("a")], {
        summary: {
          ...summary,
          passed: 1,
          skipped: 0,
          costUsd: null,
          unpricedRequests: 3,
          passRate: null,
          interval: null,
        },
        run: { ...run, interrupted: true },
        gates: [
          { name: "cost", scope: "run", pass: false, limit: 1, actual: null, message: "cost: unknown, limit $1" },
        ],
        reasons: ["the run was interrupted", "a gate tripped"],
        verdict: "failed",
        exitCode: 1,
      }),
    );
    expect(text).toMatch(/^Pass rate unknown: no case counts +cost unknown in 1\.2 s\n/m);
    expect(text).toContain("9 requests, 2 retries · cost unknown (3 requests without a price)\n");
    expect(text).toContain("\nGATES\n✗ cost: unknown, limit $1\n");
    expect(text).toContain(
      "Interrupted: these results are partial.\nWhy it failed: the run was interrupted; a gate tripped\nSummary: 1 passed",
    );
    expect(text).toContain("  again  kindlm test --resume  ");
  });

  it("never says 100% unless all passed", async () => {
    const { summary } = sampleRun([]);
    const text = await render(inSuite([], { summary: { ...summary, passRate: 0.99999, interval: [0.9, 1] } }));
    expect(text).toContain("Pass rate 99.9% (90–100)");
  });

  it("shows control characters and masks secrets before cutting", async () => {
    const message = `${"x".repeat(60)} the-secret-value \u001b[2J`;
    const output = `${"y".repeat(295)}the-secret-value\u202e`;
    const args = { key: "the-secret-value" };
    const toolCalls = [{ tool: "t\u0007", args }];
    const test = failedCase("a", {}, { assertions: [sampleAssertion({ pass: false, message })], output, toolCalls });
    const redact = (text: string): string => text.replaceAll("the-secret-value", "[redacted]");
    const text = await render(inSuite([test]), { redact });
    expect(text).not.toContain("the-s");
    for (const hidden of ["\u0007", "\u001b", "\u202e"]) expect(text).not.toContain(hidden);
    expect(text).toContain('t␇  key "[redacted]"');
    const ascii = await render(inSuite([test]), { redact, ascii: true });
    expect(ascii).toContain('t\\u0007  key "[redacted]"');
    expect(ascii).toMatch(/^[\n -~]*$/);
  });

  it("colors only when asked to", async () => {
    expect(await render(threeSuites(), { color: false })).not.toContain("\u001b[");
    expect(await render(threeSuites(), { color: true })).toContain("\u001b[31mfailed\u001b[39m");
  });

  it("adds trials, attempts and timing when verbose", async () => {
    const text = await render(inSuite([passedCase("a")]), { verbose: true });
    expect(text).toContain(
      'Suite A/a@gpt trial 1: passed · 820 ms · 1 request · gpt-4.1-mini\n    ✓ contains: Found "hello" (0.1 ms)',
    );
  });
});

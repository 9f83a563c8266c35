import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sampleComparison } from "../../../../core/src/__fixtures__/sample-comparison.js";
import {
  failedCase,
  passedCase,
  sampleAssertion,
  threeSuites,
  inSuite,
  sampleRun,
} from "../../../../core/src/__fixtures__/sample-run.js";
import { rendererOf } from "../../../../core/src/__fixtures__/render-report.js";
import { kindlmError } from "@kindlm/core";
import { githubReporter } from "./github-reporter.js";

const render = rendererOf(githubReporter);

const position = { file: "kindlm.yaml", line: 7, column: 9, length: 4 };

describe("githubReporter", () => {
  it("is silent where nothing is wrong", async () => {
    expect(await render(inSuite([passedCase("one")]))).toBe("");
  });

  it("puts gates and regressions before cases, and cases on their lines", async () => {
    const gates = [{ name: "pass_rate", scope: "run" as const, pass: false, limit: 1, actual: 0, message: "0%" }];
    const tests = [failedCase("a", { position }), failedCase("b", { allowFailure: "known, since May" })];
    const warnings = [
      { code: "CONFIG_VALIDATION_ERROR" as const, severity: "warning" as const, message: "odd", position },
    ];
    const text = await render(inSuite(tests, { gates, warnings, comparison: sampleComparison() }));
    expect(text.split("\n")).toEqual([
      "::error title=Gate pass_rate::0%25",
      "::error title=orders regressed::Worse: orders/refund@gpt",
      '::error file=kindlm.yaml,line=7,col=9,title=Suite A/a@gpt failed::contains: Expected "hello" in the answer',
      '::warning title=Suite A/b@gpt failed%2C which is allowed (known%2C since May)::contains: Expected "hello" in the answer',
      "::warning file=kindlm.yaml,line=7,col=9,title=KindLM::odd",
      "",
    ]);
  });

  it("distinguishes errored cases from failed ones", async () => {
    expect(await render(threeSuites())).toContain(
      "::error title=Suite A/Test 3@gpt errored::OpenAI request timed out after 30000ms\n",
    );
  });

  it("annotates the first of equal problems of a config, with where else they are", async () => {
    const diagnostics = Array.from({ length: 1_000 }, (_, index) => ({
      code: "CONFIG_VALIDATION_ERROR" as const,
      severity: "error" as const,
      message: 'Unknown key "tagz"',
      position: { ...position, line: index + 7 },
    }));
    const error = kindlmError("CONFIG_VALIDATION_ERROR", 'Unknown key "tagz"', { details: { diagnostics } });
    const suite = { status: "skipped", name: "orders", file: "kindlm.yaml", error, diagnostics, tests: [] } as const;
    expect(await render(sampleRun([suite]))).toBe(
      [
        '::error file=kindlm.yaml,line=7,col=9,title=Suite orders could not run::Unknown key "tagz"%0A' +
          "and at 999 more places: lines 8, 9, 10, 11, 12, …",
        "::notice title=KindLM::1,000 errors in kindlm.yaml, 1 kind",
        "",
      ].join("\n"),
    );
    const all = await render(sampleRun([suite]), { digest: { all: true } });
    expect(all.match(/^::error/gm)).toHaveLength(50);
  });

  it("writes one command per line, whatever anybody said", async () => {
    const hostile = fc.array(
      fc.constantFrom("::", "\n", "\r", ",", ":", "%0A", "::stop-commands::x", "##[error]", " "),
      {
        maxLength: 6,
      },
    );
    await fc.assert(
      fc.asyncProperty(hostile, async (parts) => {
        const text = parts.join("");
        const assertions = [sampleAssertion({ pass: false, message: text, type: text })];
        const out = await render(
          inSuite([failedCase("a", { id: text, position: { ...position, file: text } }, { assertions })]),
        );
        const lines = out.split(/\r\n|\n|\r/);
        expect(lines).toHaveLength(2);
        expect(lines[0]).toMatch(/^::error file=[^:,]*,line=7,col=9,title=[^:,]*::/);
        expect(out).not.toContain("##[");
      }),
    );
  });

  it("stops where nobody reads on", async () => {
    const tests = Array.from({ length: 60 }, (_, index) => failedCase(`case ${index}`));
    const lines = (await render(inSuite(tests))).trimEnd().split("\n");
    expect(lines).toHaveLength(51);
    expect(lines.at(-1)).toBe("::notice title=KindLM::10 more problems are in the other reports");
  });
});

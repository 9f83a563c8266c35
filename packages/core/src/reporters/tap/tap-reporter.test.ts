import { describe, expect, it } from "vitest";
import {
  failedCase,
  passedCase,
  sampleAssertion,
  sampleRun,
  threeSuites,
  inSuite,
} from "../../__fixtures__/sample-run.js";
import { rendererOf } from "../../__fixtures__/render-report.js";
import { tapReporter } from "./tap-reporter.js";

const render = rendererOf(tapReporter);

describe("tapReporter", () => {
  it("distinguishes failed, errored and skipped", async () => {
    expect((await render(threeSuites())).split("\n")).toEqual([
      "TAP version 14",
      "1..7",
      "ok 1 - Suite A/Test 1@gpt",
      "not ok 2 - Suite A/Test 2@gpt",
      "  ---",
      "  severity: fail",
      "  message:",
      String.raw`    - "contains: Expected \"hello\" in the answer"`,
      "  ...",
      "not ok 3 - Suite A/Test 3@gpt",
      "  ---",
      "  severity: error",
      "  message:",
      '    - "OpenAI request timed out after 30000ms"',
      "  ...",
      'ok 4 - Suite B/Test 1@gpt # SKIP system_prompt_file "prompts/missing.txt" not found',
      'ok 5 - Suite B/Test 2@gpt # SKIP system_prompt_file "prompts/missing.txt" not found',
      "ok 6 - Suite C/Test 1@gpt",
      "ok 7 - Suite C/Test 2@gpt",
      "",
    ]);
  });

  it("lets no name be a directive, and no message a line of its own", async () => {
    const assertions = [sampleAssertion({ pass: false, message: "no\nok 2 - forged\n..." })];
    const text = await render(inSuite([failedCase("a", { id: "x # SKIP \\ y" }, { assertions })]));
    expect(text).toContain(String.raw`not ok 1 - x \# SKIP \\ y` + "\n");
    expect(text.split("\n").filter((line) => /^(not )?ok/.test(line))).toHaveLength(1);
    expect(text.split("\n").filter((line) => line.trim() === "...")).toHaveLength(1);
  });

  it("calls an allowed failure a todo, and an empty run one that skipped", async () => {
    expect(await render(inSuite([failedCase("a", { allowFailure: "known" })]))).toContain(
      "not ok 1 - Suite A/a@gpt # todo known\n",
    );
    expect(await render(inSuite([]))).toBe("TAP version 14\n1..0 # SKIP no test ran\n");
  });

  it("ends with failed gates, and with the end of an interrupted run", async () => {
    const gates = [{ name: "cost", scope: "run" as const, pass: false, limit: 1, actual: 2, message: "cost is $2" }];
    const run = { ...sampleRun([]).run, interrupted: true };
    const text = await render(inSuite([passedCase("a")], { gates, run }));
    expect(text.endsWith("# gate cost is $2\nBail out! the run was interrupted\n")).toBe(true);
  });
});

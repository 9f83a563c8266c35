import { writeFileSync } from "node:fs";
import type { Reporter } from "vitest/node";

/**
 * Lists at the end of the run what could not be tested on this machine, as tests have said it by
 * `annotate(what, "untested")`, so that it is neither a failure nor passed over in silence. Writes the counts of the run
 * to the file that KINDLM_TEST_SUMMARY names, for programs.
 */
export const summaryReporter: Reporter = {
  onTestRunEnd(modules, unhandledErrors) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const failed = tests.filter((test) => test.result().state === "failed");
    // A file that could not be run, a hook that failed and an error outside of all tests are one failed test each.
    const broken = modules.filter(
      (module) => module.state() === "failed" && failed.every((test) => test.module !== module),
    );
    const untested = tests.flatMap((test) =>
      test
        .annotations()
        .filter(({ type }) => type === "untested")
        .map(({ message }) => `${test.module.relativeModuleId} > ${test.fullName}: ${message}`),
    );
    if (untested.length > 0) {
      process.stdout.write(`\nCould not be tested here:\n${untested.map((line) => `  ${line}\n`).join("")}`);
    }
    const file = process.env["KINDLM_TEST_SUMMARY"];
    if (file === undefined) return;
    const counts = {
      passed: tests.filter((test) => test.result().state === "passed").length,
      failed: failed.length + broken.length + unhandledErrors.length,
      untested,
    };
    writeFileSync(file, JSON.stringify(counts));
  },
};

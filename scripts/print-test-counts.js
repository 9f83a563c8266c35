import { readFile } from "node:fs/promises";
import process from "node:process";

/** Prints `N passed, N failed` of a JSON report of vitest. A file that could not be run counts as one failed test. */

const [path] = process.argv.slice(2);
const counts = await readFile(path, "utf8").then(countTests, () => ({ passed: 0, failed: 0 }));
console.log(`${counts.passed} passed, ${counts.failed} failed`);
if (counts.passed === 0 || counts.failed > 0) process.exitCode = 1;

function countTests(text) {
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(text);
  const broken = testResults.filter(({ status, assertionResults }) => {
    return status === "failed" && assertionResults.every((one) => one.status !== "failed");
  });
  return { passed: numPassedTests, failed: numFailedTests + broken.length };
}

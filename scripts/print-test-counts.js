import { readFile } from "node:fs/promises";
import process from "node:process";

/** Prints `N passed, N failed` of the runs of which test/support/summary-reporter.ts has written these files. */

const runs = await Promise.all(
  process.argv.slice(2).map((path) => readFile(path, "utf8").then(JSON.parse, () => null)),
);
const sum = (key) => runs.reduce((total, run) => total + (run?.[key] ?? 0), 0);
console.log(`${sum("passed")} passed, ${sum("failed")} failed`);
if (runs.length === 0 || runs.some((run) => run === null || run.passed === 0 || run.failed > 0)) process.exitCode = 1;

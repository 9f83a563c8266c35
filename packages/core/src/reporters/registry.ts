import type { ReporterDefinition } from "./define-reporter.js";
import { csvReporter } from "./csv/csv-reporter.js";
import { githubReporter } from "./github/github-reporter.js";
import { jsonReporter } from "./json/json-reporter.js";
import { junitReporter } from "./junit/junit-reporter.js";
import { markdownReporter } from "./markdown/markdown-reporter.js";
import { prettyReporter } from "./pretty/pretty-reporter.js";
import { tapReporter } from "./tap/tap-reporter.js";

/** The reporter family. A new one joins by one line. */
const reporters: readonly ReporterDefinition[] = [
  prettyReporter,
  jsonReporter,
  junitReporter,
  markdownReporter,
  githubReporter,
  csvReporter,
  tapReporter,
];

export const reporterNames: readonly string[] = reporters.map((reporter) => reporter.name);

export function findReporter(name: string): ReporterDefinition | undefined {
  return reporters.find((reporter) => reporter.name === name);
}

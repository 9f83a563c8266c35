import { formats, type ReporterDefinition } from "@kindlm/core";
import { githubReporter } from "./github/github-reporter.js";
import { markdownReporter } from "./markdown/markdown-reporter.js";
import { prettyReporter } from "./pretty/pretty-reporter.js";

/** Those that render for people. A new one joins by one line. */
export const reportersForPeople: readonly ReporterDefinition[] = [prettyReporter, markdownReporter, githubReporter];

const reporters: readonly ReporterDefinition[] = [...reportersForPeople, ...formats];

export const reporterNames: readonly string[] = reporters.map((reporter) => reporter.name);

export function findReporter(name: string): ReporterDefinition | undefined {
  return reporters.find((reporter) => reporter.name === name);
}

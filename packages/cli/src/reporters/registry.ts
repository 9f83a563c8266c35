import { formats, type ReporterDefinition } from "@kindlm/core";
import type { ReportOptions } from "./report-options.js";
import { githubReporter } from "./github/github-reporter.js";
import { htmlReporter } from "./html/html-reporter.js";
import { markdownReporter } from "./markdown/markdown-reporter.js";
import { prCommentReporter } from "./pr-comment/pr-comment-reporter.js";
import { prettyReporter } from "./pretty/pretty-reporter.js";

export type Reporter = ReporterDefinition<ReportOptions>;

/** Those that render for people. A new one joins by one line. */
export const reportersForPeople: readonly Reporter[] = [
  prettyReporter,
  htmlReporter,
  markdownReporter,
  prCommentReporter,
  githubReporter,
];

const reporters: readonly Reporter[] = [...reportersForPeople, ...formats];

export const reporterNames: readonly string[] = reporters.map((reporter) => reporter.name);

export function findReporter(name: string): Reporter | undefined {
  return reporters.find((reporter) => reporter.name === name);
}

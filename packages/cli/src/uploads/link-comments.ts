import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Invocation } from "../commands/command-definition.js";
import { prCommentReporter } from "../reporters/pr-comment/pr-comment-reporter.js";
import { renderOptionsFor } from "../reports/render-options.js";
import { writeReports } from "../reports/write-reports.js";
import type { FinishedRun } from "./upload-afterwards.js";

/**
 * Writes comments for pull requests again, with a link to the page of the run, which is there only since the upload. What
 * reads a pipe has its comment already.
 */
export async function linkComments(
  invocation: Pick<Invocation, "flags" | "global" | "environment">,
  { result, paths, targets, messages }: FinishedRun,
  page: string,
): Promise<void> {
  const { cwd, stderr } = invocation.environment;
  const comments = targets.files.filter(({ reporter }) => reporter.name === prCommentReporter.name);
  const files: (typeof comments)[number][] = [];
  for (const comment of comments) if (await isFile(resolve(cwd, comment.file))) files.push(comment);
  if (files.length === 0) return;
  const optionsFor = renderOptionsFor(invocation, paths, result);
  await writeReports(result, { stdout: null, files }, invocation.environment, {
    brief: false,
    optionsFor: (stream) => ({ ...optionsFor(stream), page }),
    warn: async (error) => {
      await stderr.write(messages.warning(error), messages.format);
    },
  });
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );

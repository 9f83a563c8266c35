import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { RunResult } from "@kindlm/core";
import type { Invocation } from "../commands/command-definition.js";
import { given } from "../commands/given.js";
import type { RunMessages } from "../listeners/run-messages.js";
import { prCommentReporter } from "../reporters/pr-comment/pr-comment-reporter.js";
import { renderOptionsFor } from "../reports/render-options.js";
import type { ReportTargets } from "../reports/reporter-targets.js";
import { writeReports } from "../reports/write-reports.js";
import { renderUploads } from "./render-uploads.js";

/** What `--upload` of a command that ends with a run needs. */
export interface FinishedRun {
  result: RunResult;
  /** The configs of the run. */
  paths: readonly string[];
  /** Where its reports went. */
  targets: ReportTargets;
  messages: RunMessages;
}

/** Uploads a run once its results are shown. The outcome is printed and never changes the exit code. */
export async function uploadAfterwards(
  invocation: Pick<Invocation, "flags" | "global" | "environment">,
  finished: FinishedRun,
): Promise<void> {
  const { flags, environment } = invocation;
  const { result, paths, messages } = finished;
  const { stderr, asTyped, core } = environment;
  const print = (text: string): Promise<string | null> => stderr.write(text, messages.format);
  const { id, interrupted } = result.run;
  if (interrupted) {
    await print(messages.advice(`An interrupted run is not uploaded. To upload it: ${asTyped("kindlm upload")} ${id}`));
    return;
  }
  const { uploadRuns } = await import("@kindlm/core/commands/upload-runs");
  const root = typeof flags["root"] === "string" ? flags["root"] : undefined;
  const uploaded = await uploadRuns({ paths, after: result, ...given({ root }) }, core);
  // Every failure is that of a run.
  const uploads = uploaded.success ? uploaded.data.uploads : [];
  const failed = uploads.find(({ sent, isPending }) => !sent.success && !isPending);
  const later = failed?.isKept === true ? `Kept for later: ${asTyped("kindlm upload --pending")}` : "It is not kept";
  const advice = failed === undefined ? "" : messages.advice(`The exit code is that of the tests. ${later}`);
  await print(renderUploads(uploads, messages) + advice);
  const own = uploads.find(({ isPending }) => !isPending)?.sent;
  if (own?.success === true) await linkComments(invocation, finished, own.data.url);
}

/**
 * Writes comments for pull requests again, with a link to the page of the run, which is there only since the upload. What
 * reads a pipe has its comment already.
 */
async function linkComments(
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

import type { RunResult } from "@kindlm/core";
import type { Invocation } from "../commands/command-definition.js";
import { given } from "../commands/given.js";
import type { RunMessages } from "../listeners/run-messages.js";
import { renderUploads } from "./render-uploads.js";

/** What `--upload` of a command that ends with a run needs. */
export interface FinishedRun {
  result: RunResult;
  /** The configs of the run. */
  paths: readonly string[];
  messages: RunMessages;
}

/** Uploads a run once its results are shown. The outcome is printed and never changes the exit code. */
export async function uploadAfterwards(
  { flags, environment }: Pick<Invocation, "flags" | "environment">,
  { result, paths, messages }: FinishedRun,
): Promise<void> {
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
}

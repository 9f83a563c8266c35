import { describeUpload, uploadRuns, type UploadBody } from "@kindlm/core/commands/upload-runs";
import { attempt, messageOf } from "@kindlm/core/program";
import { kindlmError } from "@kindlm/core";
import { errorViewOf } from "../../errors/error-view.js";
import { UsageError } from "../../errors/usage-error.js";
import { createTextMessages } from "../../listeners/run-messages.js";
import { renderUploads } from "../../uploads/render-uploads.js";
import { given } from "../given.js";
import { printError } from "../print-answer.js";
import type { InvocationOf } from "../command-definition.js";
import type { uploadCommand } from "./command.js";

type UploadInvocation = InvocationOf<typeof uploadCommand>;

/** Exits 1 if a run was not uploaded. */
export async function execute(invocation: UploadInvocation): Promise<number> {
  const { args: runs, flags, global, environment } = invocation;
  const { pending, transcripts, server, project, root } = flags;
  const options = { paths: global.config, runs, pending, transcripts, ...given({ server, project, root }) };
  if (flags.dryRun) {
    if (pending || runs.length > 1) throw new UsageError("--dry-run shows one run", "Name one run, without --pending");
    const described = await describeUpload(options, environment.core);
    return described.success ? printBody(invocation, described.data) : printError(invocation, described.error);
  }
  const uploaded = await uploadRuns(options, environment.core);
  if (!uploaded.success) return printError(invocation, uploaded.error);
  const messages = createTextMessages(errorViewOf(invocation));
  const { uploads } = uploaded.data;
  await environment.stderr.write(renderUploads(uploads, messages));
  if (uploads.length === 0) await environment.stderr.write("No upload is pending\n");
  return uploads.every(({ sent }) => sent.success) ? 0 : 1;
}

/** The body of the request; a large run is sent in several, with the same cases. */
async function printBody(invocation: UploadInvocation, { run, cases }: UploadBody): Promise<number> {
  const { stdout } = invocation.environment;
  const written = await attempt(
    async () => {
      await stdout.write(`{"run":${JSON.stringify(run)},\n"cases":[`, "json");
      let before = "\n";
      for await (const one of cases) {
        await stdout.write(`${before}${JSON.stringify(one)}`, "json");
        before = ",\n";
      }
      return stdout.write("\n]}\n", "json");
    },
    (cause) => kindlmError("STORE_CORRUPT", `The journal of run ${run.run} cannot be read: ${messageOf(cause)}`),
  );
  if (!written.success) return printError(invocation, written.error);
  return written.data === null ? 0 : 1;
}

import {
  attempt,
  briefReporter,
  kindlmError,
  messageOf,
  renderToString,
  type KindlmError,
  type RenderOptions,
  type ReporterDefinition,
  type Result,
  type RunResult,
} from "@kindlm/core";
import { resolve } from "node:path";
import type { CliEnvironment } from "../environment.js";
import type { OutputStream } from "../sinks/output-stream.js";
import type { ReportTargets } from "./reporter-targets.js";

export interface ReportStyle {
  /** Of a stream, or of a file when there is none. */
  optionsFor(stream: OutputStream | null): RenderOptions;
  /** Whether errors and the summary go to stderr when stdout belongs to a report for programs. */
  brief: boolean;
  /** A report that could not be written is a warning: the verdict stands. */
  warn(error: KindlmError): Promise<void>;
}

/** Renders the finished run to every place that was asked for. */
export async function writeReports(
  result: RunResult,
  targets: ReportTargets,
  environment: CliEnvironment,
  style: ReportStyle,
): Promise<void> {
  const { stdout, stderr, cwd, files } = environment;
  const toFiles = targets.files.map(async ({ reporter, file }) => {
    const text = await renderToString(reporter, result, style.optionsFor(null));
    const written = text.success ? await files.write(resolve(cwd, file), file, text.data, reporter.format) : text;
    if (!written.success) await style.warn(written.error);
  });
  await Promise.all(toFiles);
  if (targets.stdout !== null) {
    const shown = await streamReport(targets.stdout, result, stdout, style.optionsFor(stdout));
    if (!shown.success) await style.warn(shown.error);
    if (shown.success && targets.stdout.name === "pretty") return;
  }
  if (!style.brief) return;
  const brief = await streamReport(briefReporter, result, stderr, style.optionsFor(stderr));
  if (!brief.success) await style.warn(brief.error);
}

/** Piece by piece, at the pace of the reader. */
function streamReport(
  reporter: ReporterDefinition,
  result: RunResult,
  stream: OutputStream,
  options: RenderOptions,
): Promise<Result<void>> {
  let reason: string | null = null;
  return attempt(
    async () => {
      for await (const piece of reporter.render(result, options)) {
        reason = await stream.write(piece, reporter.format);
        if (reason !== null) throw new Error(reason);
      }
    },
    (cause) =>
      reason === null
        ? kindlmError("UNKNOWN_ERROR", `The reporter ${reporter.name} failed: ${messageOf(cause)}`, { cause })
        : kindlmError("STORE_WRITE_ERROR", `Can not write the report to stdout: ${reason}`, { details: { path: "-" } }),
  );
}

import { attempt, messageOf } from "@kindlm/core/program";
import type { Reporter } from "../reporters/registry.js";
import type { ReportOptions } from "../reporters/report-options.js";
import { briefReporter } from "../reporters/pretty/pretty-reporter.js";
import { kindlmError, type KindlmError, type Result, type RunResult } from "@kindlm/core";
import { resolve } from "node:path";
import type { CliEnvironment } from "../environment.js";
import type { OutputStream } from "../sinks/output-stream.js";
import type { ReportTargets } from "./reporter-targets.js";

export interface ReportStyle {
  /** Of a stream, or of a file when there is none. */
  optionsFor(stream: OutputStream | null): ReportOptions;
  /** What a reporter has rendered while the run went on. */
  renderedFor?(reporter: Reporter): ReportOptions["rendered"];
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
  const optionsFor = (reporter: Reporter, stream: OutputStream | null): ReportOptions => {
    const rendered = style.renderedFor?.(reporter);
    return { ...style.optionsFor(stream), ...(rendered === undefined ? {} : { rendered }) };
  };
  // One after the other: two that read the journal at different places would have it read again and again.
  for (const { reporter, file } of targets.files) {
    const rendering = watchRendering(reporter, result, optionsFor(reporter, null));
    const written = await files.write(resolve(cwd, file), file, rendering.pieces(), reporter.format);
    if (!written.success) await style.warn(rendering.failure() ?? written.error);
  }
  if (targets.stdout !== null) {
    const shown = await streamReport(targets.stdout, result, stdout, optionsFor(targets.stdout, stdout));
    if (!shown.success) await style.warn(shown.error);
    if (shown.success && targets.stdout.name === "pretty") return;
  }
  if (!style.brief) return;
  const brief = await streamReport(briefReporter, result, stderr, style.optionsFor(stderr));
  if (!brief.success) await style.warn(brief.error);
}

/** Piece by piece, at the pace of the reader. */
async function streamReport(
  reporter: Reporter,
  result: RunResult,
  stream: OutputStream,
  options: ReportOptions,
): Promise<Result<void>> {
  const rendering = watchRendering(reporter, result, options);
  const shown = await attempt(
    async () => {
      for await (const piece of rendering.pieces()) {
        // Only the pretty reporter has groups, and begins a piece with nothing that others said.
        const isGroup = options.groups === true && reporter.name === "pretty" && /^::(?:end)?group::/.test(piece);
        const reason = await stream.write(piece, isGroup ? "commands" : reporter.format);
        if (reason !== null) throw new Error(reason);
      }
    },
    (cause) =>
      kindlmError("STORE_WRITE_ERROR", `Cannot write the report to stdout: ${messageOf(cause)}`, {
        details: { path: "-" },
      }),
  );
  const broken = rendering.failure();
  return broken === null ? shown : { success: false, error: broken };
}

/** Distinguishes a reporter that fails from a place that cannot be written. */
function watchRendering(
  reporter: Reporter,
  result: RunResult,
  options: ReportOptions,
): { pieces(): AsyncIterable<string>; failure(): KindlmError | null } {
  let failure: KindlmError | null = null;
  return {
    failure: () => failure,
    async *pieces() {
      const rendered = reporter.render(result, options)[Symbol.asyncIterator]();
      for (;;) {
        const next = await attempt(
          () => rendered.next(),
          (cause) =>
            kindlmError("UNKNOWN_ERROR", `The reporter ${reporter.name} failed: ${messageOf(cause)}`, { cause }),
        );
        if (!next.success) {
          failure = next.error;
          throw new Error(failure.message);
        }
        if (next.data.done === true) return;
        yield next.data.value;
      }
    },
  };
}

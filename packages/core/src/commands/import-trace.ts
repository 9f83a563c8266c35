import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import { failure, success, type Result } from "../result.js";
import { withRunWorld, type Environment, type RunWorld } from "../run/environment.js";
import { openSources } from "../score/open-sources.js";
import type { TranscriptSource, TranscriptStream } from "../score/transcript-source.js";
import { regressionTestOf } from "../traces/regression-test.js";
import { createLineProblems } from "../transcript-import/create-line-problems.js";

export type { TranscriptStream } from "../score/transcript-source.js";

export interface ImportTraceOptions {
  /** Files and streams of spans. Relative to `environment.cwd`. */
  files: readonly (string | TranscriptStream)[];
  /** The name of the test that is written. */
  test: string;
  /** The name of its suite. Default: `recorded`. */
  suite?: string;
  /** The ID of the trace, or the beginning of it. Needed if there are several. */
  trace?: string;
}

/**
 * Makes a test of a recorded trace: a config in YAML, with a script of the recorded model and simulated tools that answer
 * as the tools did. It runs offline and passes. Fails with TRANSCRIPT_INVALID if the spans cannot be read, and if there is
 * not exactly one trace.
 */
export function importTrace(options: ImportTraceOptions, environment: Environment = {}): Promise<Result<string>> {
  return withRunWorld(environment, (world) => importIn(world, options));
}

async function importIn(
  world: RunWorld,
  { files, test, suite = "recorded", trace = "" }: ImportTraceOptions,
): Promise<Result<string>> {
  const opened = await openSources(files, test, world.cwd);
  if (!opened.success) return opened;
  const [source, other] = opened.data.toReversed();
  if (source?.isTraced !== true || other !== undefined) {
    const shown = opened.data.find(({ isTraced }) => isTraced !== true)?.shown ?? "";
    return failure(invalid(shown, `${shown} has no OpenTelemetry spans`));
  }
  const found = await traceIn(source, trace);
  if (!found.success) return found;
  const read = source.parse(found.data);
  if (!read.success) {
    const problems = createLineProblems("transcripts", [source.shown]);
    problems.add(source.shown, 1, read.error);
    return failure(problems.error() ?? invalid(source.shown, `${source.shown} cannot be read`));
  }
  const config = regressionTestOf(read.data.told, { suite, test });
  if (!config.success) return failure(invalid(source.shown, `The trace cannot be a test: ${config.error}`));
  const { stringify } = await import("yaml");
  const text = stringify(config.data, { lineWidth: 100, aliasDuplicateObjects: false });
  return success(world.redactor.redact(`${note(found.data)}${text}`));
}

function note(trace: string): string {
  return `# Trace ${trace}. The assertions say what the agent did: change them to what it should have done.\n`;
}

/** The ids of the one trace that is meant, as a line of the source. */
async function traceIn(source: TranscriptSource, wanted: string): Promise<Result<string>> {
  const found: string[] = [];
  for await (const { line } of source.lines()) {
    if (line.split(" ").some((id) => id.startsWith(wanted.toLowerCase()))) found.push(line);
  }
  const [only, ...more] = found;
  if (only !== undefined && more.length === 0) return success(only);
  const shown = found.slice(0, 5).join(", ");
  const message =
    only === undefined
      ? `${source.shown} has no trace ${wanted === "" ? "of an agent" : JSON.stringify(wanted)}`
      : `${source.shown} has ${found.length} traces: name one with --trace (${shown}${found.length > 5 ? ", …" : ""})`;
  return failure(invalid(source.shown, message));
}

function invalid(shown: string, message: string): KindlmError {
  return kindlmError("TRANSCRIPT_INVALID", message, { details: { path: shown, diagnostics: [] } });
}

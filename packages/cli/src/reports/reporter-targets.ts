import { didYouMean } from "@kindlm/core/program";
import { findReporter, type Reporter, reporterNames } from "../reporters/registry.js";
import { normalize } from "node:path";
import { UsageError } from "../errors/usage-error.js";

/** A report and where it goes; null is stdout. */
export interface ReportTarget {
  reporter: Reporter;
  file: string | null;
}

export interface ReportTargets {
  stdout: Reporter | null;
  files: readonly { reporter: Reporter; file: string }[];
}

/**
 * Reads `--reporter name[=file]`. Only one thing can have stdout; when nothing was put there, it is `pretty`, unless
 * `events`, the value of `--events`, puts them there.
 */
export function parseReporterTargets(written: readonly string[], events: string | undefined): ReportTargets {
  const eventsOnStdout = events === "-";
  const targets = written.map(parseTarget);
  const onStdout = targets.filter((target) => target.file === null);
  if (onStdout.length > 1) {
    throw new UsageError("Only one reporter can write to stdout", "Give the others a file: --reporter junit=junit.xml");
  }
  const wanted = onStdout[0]?.reporter ?? null;
  if (wanted !== null && eventsOnStdout) {
    throw new UsageError(
      `The events and the reporter ${wanted.name} cannot both write to stdout`,
      `Give one of them a file: --events events.jsonl`,
    );
  }
  const files = targets.flatMap(({ reporter, file }) => (file === null ? [] : [{ reporter, file }]));
  checkFiles([...files.map(({ file }) => file), ...(events === undefined || eventsOnStdout ? [] : [events])]);
  return { stdout: wanted ?? (eventsOnStdout ? null : (findReporter("pretty") ?? null)), files };
}

/** Nothing that a run writes may replace what else it writes, or a config. */
function checkFiles(files: readonly string[]): void {
  const taken = new Set<string>();
  for (const file of files) {
    if (/\.ya?ml$/i.test(file)) {
      throw new UsageError(`${file} looks like a config, and would be overwritten`, "Give the file another ending");
    }
    const path = normalize(file);
    if (taken.has(path)) throw new UsageError(`Two outputs cannot both go to ${file}`, "Give each its own file");
    taken.add(path);
  }
}

function parseTarget(written: string): ReportTarget {
  const split = written.indexOf("=");
  const name = split === -1 ? written : written.slice(0, split);
  const file = split === -1 ? null : written.slice(split + 1);
  const reporter = findReporter(name);
  if (reporter === undefined) {
    const fix = didYouMean(name, reporterNames) ?? `Known reporters: ${reporterNames.join(", ")}`;
    throw new UsageError(`Unknown reporter "${name}"`, fix);
  }
  if (file === "")
    throw new UsageError(`--reporter ${name}= names no file`, `Write --reporter ${name}=report.${reporter.extension}`);
  return { reporter, file };
}

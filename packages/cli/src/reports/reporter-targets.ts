import { didYouMean, isConfigName } from "@kindlm/core/program";
import { success, type Environment, type ProjectPlace, type Result } from "@kindlm/core";
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

export function reportersOf({ stdout, files }: ReportTargets): readonly Reporter[] {
  return [...(stdout === null ? [] : [stdout]), ...files.map(({ reporter }) => reporter)];
}

/**
 * Reads `--reporter name[=file]`. Only one thing can have stdout; when nothing was put there, it is `pretty`, unless
 * `events`, the value of `--events`, puts them there. A name that is not KindLM's own is looked for among those that the
 * config at `place` registers. Fails if its modules cannot be used.
 */
export async function chooseReporters(
  { reporter: written, events }: { reporter: readonly string[]; events?: string | undefined },
  place: ProjectPlace,
  world: Environment,
): Promise<Result<ReportTargets>> {
  const isOwn = written.every((one) => findReporter(nameIn(one)) !== undefined);
  const registered = isOwn ? success([]) : await loadRegistered(place, world);
  if (!registered.success) return registered;
  return success(toTargets(written, events, registered.data));
}

/** Without a config nothing is registered. */
async function loadRegistered(place: ProjectPlace, world: Environment): Promise<Result<readonly Reporter[]>> {
  const { loadReporters } = await import("@kindlm/core/commands/load-reporters");
  const loaded = await loadReporters(place, world);
  return !loaded.success && loaded.error.code === "CONFIG_NOT_FOUND" ? success([]) : loaded;
}

function toTargets(
  written: readonly string[],
  events: string | undefined,
  registered: readonly Reporter[],
): ReportTargets {
  const eventsOnStdout = events === "-";
  const targets = written.map((one) => parseTarget(one, registered));
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
    if (isConfigName(file)) {
      throw new UsageError(`Output file ${file} looks like a config`, "Use another file extension");
    }
    const path = normalize(file);
    if (taken.has(path)) throw new UsageError(`Two outputs write to ${file}`, "Give each output its own file");
    taken.add(path);
  }
}

function nameIn(written: string): string {
  return written.split("=", 1)[0] ?? written;
}

function parseTarget(written: string, registered: readonly Reporter[]): ReportTarget {
  const name = nameIn(written);
  const file = name === written ? null : written.slice(name.length + 1);
  const reporter = findReporter(name) ?? registered.find((one) => one.name === name);
  if (reporter === undefined) {
    const names = [...reporterNames, ...registered.map((one) => one.name)];
    const fix = didYouMean(name, names) ?? `Known reporters: ${names.join(", ")}`;
    throw new UsageError(`Unknown reporter "${name}"`, fix);
  }
  if (file === "")
    throw new UsageError(
      `--reporter ${name}= lacks a file name`,
      `Use --reporter ${name}=report.${reporter.extension}`,
    );
  return { reporter, file };
}

import type { ResolvedConfigFile } from "./resolve-config-file.js";
import { mergeGates } from "../gates/read-gates.js";
import type { ResolvedConfig } from "./resolved-config.js";
import { report } from "./source/section.js";
import type { Path } from "./source/written.js";
import type { WrittenConfig } from "./schema/config-schema.js";
import {
  builtinAlpha,
  builtinConcurrency,
  builtinKeptRuns,
  builtinMargin,
  builtinSeed,
  builtinTimeouts,
  timeoutsOf,
} from "./written-settings.js";

type RunSettings = Pick<
  ResolvedConfig,
  | "project"
  | "gates"
  | "exitOn"
  | "comparison"
  | "cassette"
  | "concurrency"
  | "seed"
  | "maxCostUsd"
  | "timeouts"
  | "runTimeoutMs"
  | "keepRuns"
>;

/**
 * What holds for the run as a whole. Several configs may each set it, but not to different values, which is reported.
 * Null when no file could be read.
 */
export function mergeRunSettings(files: readonly ResolvedConfigFile[], isOneOfSeveral: boolean): RunSettings | null {
  const first = files.find((file) => file.written !== null)?.written;
  if (first === undefined || first === null) return null;
  const setting = <T>(path: Path, read: (written: WrittenConfig) => T | undefined): T | undefined => {
    let chosen: { value: T; file: string } | undefined;
    for (const { written, section } of files) {
      const value = written === null ? undefined : read(written);
      if (value === undefined) continue;
      const { file } = section.document.source;
      chosen ??= { value, file };
      if (chosen.value === value) continue;
      const message = `"${path.join(".")}" holds for the whole run, and ${chosen.file} sets it to another value`;
      report(section, { path, message, hint: "Set it in one of the files, or run them one by one" });
    }
    return chosen?.value;
  };

  return {
    project: files.find((file) => file.written?.project !== undefined)?.written?.project ?? null,
    gates: mergeGates(
      files.flatMap(({ written }) => (written?.gates === undefined ? [] : [written.gates])),
      (name, read) => setting(["gates", name], ({ gates }) => (gates === undefined ? undefined : read(gates))),
    ),
    exitOn: setting(["exit_on"], (written) => written.exit_on) ?? "tests",
    comparison: {
      alpha: setting(["baseline", "alpha"], (written) => written.baseline?.alpha) ?? builtinAlpha,
      margin: setting(["baseline", "margin"], (written) => written.baseline?.margin) ?? builtinMargin,
    },
    cassette: setting(["cassette"], (written) => written.cassette) ?? "off",
    concurrency: setting(["defaults", "concurrency"], (written) => written.defaults?.concurrency) ?? builtinConcurrency,
    seed: setting(["defaults", "seed"], (written) => written.defaults?.seed) ?? builtinSeed,
    keepRuns: keptRuns(setting(["keep_runs"], (written) => written.keep_runs)),
    maxCostUsd: setting(["limits", "max_cost"], (written) => written.limits?.max_cost) ?? null,
    // Of several files, each hands its deadlines to its own models and tests.
    timeouts: isOneOfSeveral ? builtinTimeouts : { ...builtinTimeouts, ...timeoutsOf(first.timeouts) },
    runTimeoutMs: setting(["timeouts", "run"], (written) => written.timeouts?.run) ?? null,
  };
}

function keptRuns(written: number | "all" | undefined): number | null {
  return written === "all" ? null : (written ?? builtinKeptRuns);
}

import { attempt } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import { mebibyte, readText, UnreadableFile } from "../files/open-for-reading.js";
import { systemCodeOf } from "../files/store-error.js";
import { baselineVersion, type Baseline, type BaselineEntry } from "./baseline.js";
import { hasChanged, type BaselineStamps } from "./baseline-stamps.js";
import type { BaselinePlace } from "./baseline-place.js";
import { parseBaseline, type BaselineProblem } from "./parse-baseline.js";

export type LoadedBaseline =
  | { status: "none" }
  | { status: "sound"; baseline: Baseline }
  /** `sound`: the entries that can be used all the same. */
  | { status: "unusable"; error: KindlmError; sound: ReadonlyMap<string, BaselineEntry> };

/** A baseline of 100,000 cases with long conversations is a tenth of it. */
const mostBytes = 256 * mebibyte;

/**
 * Reads the baseline of a suite. Never fails: what keeps it from being used is a BASELINE_ error within. During a run,
 * one that is not as it was when the run began is not used.
 */
export async function loadBaseline(place: BaselinePlace, since?: BaselineStamps): Promise<LoadedBaseline> {
  const loaded = await loadBaselineFile(place);
  if (since !== undefined && (await hasChanged(place.path, since))) {
    const reason = "changed while the run was under way, so it is not used";
    const hint =
      "Keep the agent from writing to .kindlm, or compare with the file as it is now: kindlm baseline compare";
    return unusable(place, { kind: "corrupt", reason, hint, sound: new Map() });
  }
  if (loaded.status !== "sound" || loaded.baseline.header.suite === place.suite) return loaded;
  const reason = `is that of suite "${loaded.baseline.header.suite}"`;
  const hint = "A baseline cannot be used for another suite. Run: kindlm baseline set";
  return unusable(place, { kind: "corrupt", reason, hint, sound: new Map() });
}

/** The same for a file of which it is not known whose it is. */
export async function loadBaselineFile(place: BaselinePlace): Promise<LoadedBaseline> {
  const read = await attempt(
    () => readText(place.path, mostBytes),
    (cause) => corruptError(place, whyUnreadable(cause), unreadableHint(cause), cause),
  );
  if (!read.success) {
    const isMissing = systemCodeOf(read.error.cause) === "ENOENT";
    return isMissing ? { status: "none" } : { status: "unusable", error: read.error, sound: new Map() };
  }
  const parsed = parseBaseline(read.data);
  if (!parsed.success) return unusable(place, parsed.error);
  return { status: "sound", baseline: parsed.data };
}

/** Whether the file is there and nothing can be said of what it holds, so that nobody should replace it. */
export function isBeyondReach(loaded: LoadedBaseline): loaded is Extract<LoadedBaseline, { status: "unusable" }> {
  return loaded.status === "unusable" && loaded.error.cause !== undefined;
}

function unusable(place: BaselinePlace, problem: BaselineProblem): LoadedBaseline {
  if (problem.kind === "corrupt") {
    return { status: "unusable", error: corruptError(place, problem.reason, problem.hint), sound: problem.sound };
  }
  const { suite, shown } = place;
  const message = `The baseline ${shown} is of version ${problem.found}, and this KindLM reads version ${baselineVersion}`;
  const details = { suite, found: problem.found, supported: baselineVersion };
  return {
    status: "unusable",
    error: kindlmError("BASELINE_VERSION_MISMATCH", message, { details }),
    sound: new Map(),
  };
}

function corruptError(place: BaselinePlace, reason: string, hint?: string, cause?: unknown): KindlmError {
  const { suite, shown } = place;
  const details = hint === undefined ? { suite, path: shown } : { suite, path: shown, hint };
  return kindlmError("BASELINE_CORRUPT", `The baseline ${shown} ${reason}`, { details, cause });
}

function whyUnreadable(cause: unknown): string {
  return cause instanceof UnreadableFile ? cause.reason : `cannot be read: ${messageOf(cause)}`;
}

function unreadableHint(cause: unknown): string | undefined {
  const code = systemCodeOf(cause);
  return cause instanceof UnreadableFile
    ? "Move it away"
    : code === "EACCES" || code === "EPERM"
      ? "Check its permissions"
      : undefined;
}

import path from "node:path";
import { attempt } from "../../errors/boundary.js";
import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import { readError, systemCodeOf } from "../../files/store-error.js";
import { failure, success, type Result } from "../../result.js";
import type { RunTestsOptions } from "../run-options.js";
import { hashValue } from "../identity/content-hash.js";
import type { RunPlan } from "../run-plan.js";
import { assignShards } from "./assign-shards.js";
import { cutPlan } from "./cut-plan.js";
import { mostDurationsBytes, parseDurations, type Durations } from "./durations.js";
import { checkShard } from "./check-shard.js";
import { readText } from "../../files/open-for-reading.js";

/** Where the durations of a project are, unless another file is named. */
export function durationsFile(root: string): string {
  return path.join(root, ".kindlm", "durations.json");
}

/**
 * The part of the plan that the options ask for; the plan itself when they ask for none. Fails when the durations cannot
 * be read: the other jobs might read theirs, and split otherwise.
 */
export async function takeShard(
  whole: RunPlan,
  { shard, shardDurations }: Pick<RunTestsOptions, "shard" | "shardDurations">,
  cwd: string,
): Promise<Result<RunPlan>> {
  if (shard === undefined) return success(whole);
  const checked = checkShard(shard);
  if (!checked.success) return failure(kindlmError("CONFIG_VALIDATION_ERROR", checked.error.message));
  const loaded = await loadDurations(whole.root, shardDurations, cwd);
  if (!loaded.success) return loaded;
  const durations = loaded.data;
  const cut = cutPlan(whole, shard, assignShards(shard.of, durations ?? new Map()));
  const durationsHash = durations === null ? null : hashValue(Object.fromEntries(durations));
  return success({ ...cut, part: { shard, whole, durationsHash } });
}

/** Null where there are none. */
async function loadDurations(
  root: string,
  written: string | undefined,
  cwd: string,
): Promise<Result<Durations | null>> {
  const file = written === undefined ? durationsFile(root) : path.resolve(cwd, written);
  const shown = written ?? (path.relative(cwd, file) || file);
  const text = await attempt(
    () => readText(file, mostDurationsBytes),
    (cause) => readError(shown, cause),
  );
  if (!text.success) {
    const isThere = systemCodeOf(text.error.cause) !== "ENOENT";
    return isThere || written !== undefined ? failure(unusable(text.error.message, shown)) : success(null);
  }
  const parsed = parseDurations(text.data);
  return parsed.success ? parsed : failure(unusable(`${shown} cannot be used: ${parsed.error}`, shown));
}

function unusable(message: string, file: string): KindlmError {
  const hint = `Delete ${file}, or let kindlm merge write it again`;
  return kindlmError("CONFIG_FILE_REF_ERROR", message, {
    details: { path: file, diagnostics: [{ code: "CONFIG_FILE_REF_ERROR", severity: "error", message, hint }] },
  });
}

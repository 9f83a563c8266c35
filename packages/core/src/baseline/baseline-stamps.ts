import { stat } from "node:fs/promises";
import { attempt } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { baselinePlace, baselinesFolder } from "./baseline-place.js";

/** How the files of baselines looked when a run began, by their paths; those that were not there are left out. */
export type BaselineStamps = ReadonlyMap<string, string>;

/**
 * Takes the stamps before the first agent starts. An agent with access to the project could otherwise delete the
 * baseline that it is compared with, or write one that it meets. `suites` have passed the redactor.
 */
export async function stampBaselines(root: string, suites: readonly string[]): Promise<BaselineStamps> {
  if ((await stampOf(baselinesFolder(root))) === null) return new Map();
  const paths = suites.map((suite) => baselinePlace(root, suite).path);
  const stamps = await Promise.all(paths.map(async (path) => [path, await stampOf(path)] as const));
  return new Map(stamps.flatMap(([path, stamp]) => (stamp === null ? [] : [[path, stamp] as const])));
}

export async function hasChanged(path: string, since: BaselineStamps): Promise<boolean> {
  return (await stampOf(path)) !== (since.get(path) ?? null);
}

/** The time of the last change can be set by nobody but the system. Null for what is not there or out of reach. */
async function stampOf(path: string): Promise<string | null> {
  const found = await attempt(
    () => stat(path, { bigint: true }),
    (cause) => kindlmError("UNKNOWN_ERROR", messageOf(cause), { cause }),
  );
  if (!found.success) return null;
  const { size, mtimeNs, ctimeNs } = found.data;
  return `${size} ${mtimeNs} ${ctimeNs}`;
}

import { rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { locateRoot, type ProjectPlace } from "../config/locate-root.js";
import type { CassetteCheck, CassetteListing, PrunedCassette } from "../cassette/cassette-report.js";
import { readCassetteFolder } from "../cassette/read-cassette-folder.js";
import { changeCassette } from "../cassette/cassette-files.js";
import { parseCassette } from "../cassette/parse-cassette.js";
import { checkCassette, describeCassette, findUnused, withoutUnused } from "../cassette/inspect-cassette.js";
import { withoutOnly } from "../config/without-only.js";
import { completeEnvironment, type Environment } from "../run/environment.js";
import { attempt } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { planRun } from "../plan/plan-run.js";
import { preparePlan } from "../run/prepare-plan.js";
import { processDefaults } from "../values/process-defaults.js";
import { success, type Result } from "../result.js";

export type { CassetteCheck, CassetteListing, PrunedCassette } from "../cassette/cassette-report.js";

/** The files of cassettes with what they hold. The config need not be valid. */
export async function listCassettes(
  question: ProjectPlace,
  environment: Environment = {},
): Promise<Result<readonly CassetteListing[]>> {
  const files = await readCassetteFolder(await locateRoot(question, processDefaults(environment).cwd));
  return files.success ? success(files.data.map(describeCassette)) : files;
}

/** Whether the files of cassettes are sound and fit to be committed. The config need not be valid. */
export async function verifyCassettes(
  question: ProjectPlace,
  environment: Environment = {},
): Promise<Result<readonly CassetteCheck[]>> {
  const { cwd, redactor } = completeEnvironment(environment);
  const files = await readCassetteFolder(await locateRoot(question, cwd));
  return files.success ? success(files.data.map((file) => checkCassette(file, redactor.redact))) : files;
}

/**
 * Takes the recordings of cases and trials out that are no longer in the configs; with `dryRun` it only reports.
 * Suites that are broken, and files that cannot be read, are left as they are.
 */
export async function pruneCassettes(
  { dryRun = false, ...question }: ProjectPlace & { dryRun?: boolean },
  environment: Environment = {},
): Promise<Result<readonly PrunedCassette[]>> {
  const world = completeEnvironment(environment);
  const prepared = await preparePlan(question, world);
  if (!prepared.success) return prepared;
  const { config } = prepared.data;
  const all = planRun(withoutOnly(config), question);
  if (!all.success) return all;
  const runs = new Map([...all.data.cases()].map(({ id, runs: trials }) => [world.redactor.redact(id), trials]));
  const broken = new Set(config.suites.flatMap((suite) => (suite.status === "broken" ? [suite.name] : [])));
  const files = await readCassetteFolder(config.root);
  if (!files.success) return files;
  const pruned: PrunedCassette[] = [];
  for (const file of files.data) {
    const parsed = parseCassette(file.text);
    if (!parsed.success || broken.has(parsed.data.header.suite)) continue;
    const unused = findUnused(file.shown, parsed.data, runs);
    if (unused === null) continue;
    pruned.push(unused);
    if (dryRun) continue;
    // One file after the other, so that the first failure ends it.
    const changed = await changeCassette(file, world, (present) =>
      present === null ? null : withoutUnused(present, findUnused(file.shown, present, runs) ?? unused),
    );
    if (!changed.success) return changed;
    await removeEmpty(dirname(file.path));
  }
  return success(pruned);
}

/** A folder with anything in it stays. */
async function removeEmpty(folder: string): Promise<void> {
  await attempt(
    () => rmdir(folder),
    (cause) => kindlmError("UNKNOWN_ERROR", messageOf(cause), { cause }),
  );
}

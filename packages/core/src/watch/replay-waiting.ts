import { stat } from "node:fs/promises";
import path from "node:path";
import { cassetteFolder, cassettePath } from "../cassette/cassette-path.js";
import type { ResolvedConfig } from "../config/resolved-config.js";
import type { TrialStore } from "../engine/ports.js";
import { attempt } from "../errors/boundary.js";
import { readError } from "../files/store-error.js";
import { isDecided } from "../journal/earlier-records.js";
import { encodeRecord } from "../journal/encode-record.js";
import { derivePlan } from "../plan/derive-plan.js";
import type { Identifier } from "../plan/identity/case-identity.js";
import type { RunTestsOptions } from "../plan/run-options.js";
import type { PlannedCase, RunPlan } from "../plan/run-plan.js";
import type { Redactor } from "../redaction/redactor.js";
import { success } from "../result.js";
import { conductRun } from "../run/conduct-run.js";
import type { RunWorld } from "../run/environment.js";
import { startsUnknown, type TrialStandings } from "./trial-standings.js";
import { createCarriedTrials } from "./watch-round.js";

/** A plan and what watch mode found out about it. */
export interface WaitingPlan {
  options: RunTestsOptions;
  config: ResolvedConfig;
  plan: RunPlan;
  identify: Identifier;
  standings: TrialStandings;
  /** IDs of the cases that wait because they may cost money. */
  waitingIds: ReadonlySet<string>;
}

/** Cases that wait, by ID, with the version of the file that their recordings are in. */
export async function findRecordedCases(
  { plan, identify, waitingIds }: Pick<WaitingPlan, "plan" | "identify" | "waitingIds">,
  redact: Redactor["redact"],
): Promise<ReadonlyMap<string, string>> {
  const versions = new Map<string, string | null>();
  const found = new Map<string, string>();
  if (waitingIds.size === 0) return found;
  for (const planned of plan.cases()) {
    if (!waitingIds.has(planned.id) || startsUnknown(planned)) continue;
    // Nobody knows which code the recordings are of.
    if (identify(planned).codeHash !== undefined) continue;
    const file = path.join(plan.root, cassetteFolder, cassettePath(redact(planned.suite), redact(planned.test.name)));
    let version = versions.get(file);
    if (version === undefined) versions.set(file, (version = await versionOf(file)));
    if (version !== null) found.set(planned.id, version);
  }
  return found;
}

/**
 * Replays the trials of these cases, sends nothing, and returns those that recordings answered to the end, as lines of a
 * journal. Nothing is stored, and no one is notified.
 */
export async function replayCases(
  { options, config, plan, identify, standings }: WaitingPlan,
  ids: ReadonlySet<string>,
  world: RunWorld,
): Promise<readonly string[]> {
  function* cases(): Generator<PlannedCase> {
    for (const planned of plan.cases()) if (ids.has(planned.id)) yield planned;
  }
  const { confirm: _confirm, ...others } = options;
  const part = derivePlan(plan, cases, () => []);
  const collected = collectReplayed(identify, world);
  const replayed = await conductRun(
    {
      options: { ...others, cassette: "replay", baseline: false },
      config,
      plan: { ...part, maxCostUsd: null, bail: null },
      identify,
      earlier: null,
      recorded: { source: null, trials: createCarriedTrials(standings) },
      replay: collected,
    },
    { ...world, onEvent: () => {} },
  );
  return replayed.success ? collected.lines : [];
}

/** Keeps the trials that ended with a verdict and missed no recording on the way, which a program may have made up for. */
function collectReplayed(identify: Identifier, { clock, redactor }: Pick<RunWorld, "clock" | "redactor">) {
  const lines: string[] = [];
  const missed = new Set<string>();
  const trials: TrialStore = {
    append(trial, planned, origin) {
      const isWhole = isDecided(trial) && !missed.has(keyOf(planned.id, trial.trial));
      if (isWhole && (origin === "run" || origin === "rescore")) {
        const { agentHash, setupHash, scoringHash, codeHash } = identify(planned);
        const identity = { agentHash, setupHash, scoringHash, ...(codeHash === undefined ? {} : { codeHash }) };
        lines.push(encodeRecord({ kind: "trial", at: clock.now(), identity, trial }, redactor));
      }
      return success(undefined);
    },
    flush: () => Promise.resolve(),
    async *read() {},
  };
  return { lines, trials, onMiss: (caseId: string, trial: number) => void missed.add(keyOf(caseId, trial)) };
}

function keyOf(caseId: string, trial: number): string {
  return `${trial}\n${caseId}`;
}

async function versionOf(file: string): Promise<string | null> {
  const found = await attempt(
    () => stat(file),
    (cause) => readError(file, cause),
  );
  return found.success ? `${found.data.size} ${found.data.mtimeMs}` : null;
}

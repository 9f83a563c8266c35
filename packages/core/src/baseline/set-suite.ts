import type { RunResult, SuiteResult, TestResult } from "../engine/run-result.js";
import { attempt } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { kindlmError } from "../errors/kindlm-error.js";
import type { Redactor } from "../redaction/redactor.js";
import { failure, success, type Result } from "../result.js";
import type { Clock } from "../values/clock.js";
import type { BaselineEntry, BaselineHeader } from "./baseline.js";
import { baselinePlace, type BaselinePlace } from "./baseline-place.js";
import type { SetBaseline } from "./baseline-report.js";
import { buildEntry } from "./build-entry.js";
import { changeBaseline } from "./change-baseline.js";
import { decideUpdate } from "./decide-update.js";
import { isBeyondReach, loadBaseline, type LoadedBaseline } from "./load-baseline.js";
import { usabilityOf } from "./usability-of.js";

export interface SuiteToSet {
  /** The folder that contains `.kindlm`. */
  root: string;
  result: RunResult;
  /** All but the suite. */
  header: Omit<BaselineHeader, "suite">;
  withOutputs: boolean;
  dryRun: boolean;
  /** Whether an entry goes because the config has its case no more. */
  isGone(caseId: string): boolean;
}

/** Saves the results of a suite. Fails with STORE_WRITE_ERROR, and if the trials cannot be read. */
export async function setSuite(
  { name, tests }: SuiteResult,
  { root, result, header, withOutputs, dryRun, isGone }: SuiteToSet,
  world: { clock: Clock; redactor: Redactor },
): Promise<Result<SetBaseline>> {
  const suite = world.redactor.redact(name);
  const place = baselinePlace(root, suite);
  const taken = await attempt(
    () => takeCases(tests, result, withOutputs, world.redactor),
    (cause) => kindlmError("STORE_CORRUPT", `The trials of the run cannot be read: ${messageOf(cause)}`, { cause }),
  );
  if (!taken.success) return taken;
  const { fresh, left } = taken.data;
  const update = (present: LoadedBaseline) => {
    const decided = decideUpdate({ present: entriesOf(present), fresh, isGone });
    return { decided, replaced: present.status === "unusable" ? present.error : null };
  };
  const outcome = dryRun
    ? await foresee(place, update)
    : await changeBaseline(place, world, (present) => {
        const updated = update(present);
        return { content: { header: { suite, ...header }, entries: updated.decided.entries }, outcome: updated };
      });
  if (!outcome.success) return outcome;
  const { decided, replaced } = outcome.data;
  const { entries: _entries, ...changes } = decided;
  const failing = fresh.filter(({ isPassed }) => !isPassed).map(({ caseId }) => caseId);
  return success({ suite, file: place.shown, ...changes, left, failing, replaced });
}

/** The result of a dry run. */
async function foresee<T>(place: BaselinePlace, update: (present: LoadedBaseline) => T): Promise<Result<T>> {
  const present = await loadBaseline(place);
  return isBeyondReach(present) ? failure(present.error) : success(update(present));
}

async function takeCases(
  tests: readonly TestResult[],
  { agents = {}, trials }: RunResult,
  withOutputs: boolean,
  redactor: Redactor,
): Promise<{ fresh: readonly BaselineEntry[]; left: SetBaseline["left"] }> {
  const fresh = new Map<string, BaselineEntry>();
  const left: { caseId: string; reason: string }[] = [];
  for (const test of tests) {
    const caseId = redactor.redact(test.id);
    const usable = usabilityOf(test);
    if (usable.reason !== null) left.push({ caseId, reason: usable.reason });
    else if (fresh.has(caseId)) left.push({ caseId, reason: "two cases have this id where secrets are masked" });
    else {
      const agent = agents[usable.test.agentHash] ?? null;
      const source = { test: usable.test, trials: trials(test.id), agent, withOutputs };
      // One trial at a time is in memory.
      fresh.set(caseId, await buildEntry(source, redactor));
    }
  }
  return { fresh: [...fresh.values()], left };
}

function entriesOf(present: LoadedBaseline): ReadonlyMap<string, BaselineEntry> {
  if (present.status === "sound") return present.baseline.entries;
  return present.status === "unusable" ? present.sound : new Map();
}

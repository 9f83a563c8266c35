import type { RunResult, SuiteResult, TestResult, TrialResult } from "../engine/run-result.js";
import { attackCounts } from "../engine/injection/attack-tally.js";
import { attempt } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import type { Redactor } from "../redaction/redactor.js";
import { failure, success, type Result } from "../result.js";
import type { Clock } from "../values/clock.js";
import type { BaselineEntry, BaselineHeader } from "./baseline.js";
import { baselinePlace, type BaselinePlace } from "./baseline-place.js";
import type { SetBaseline } from "./baseline-report.js";
import { changeBaseline } from "./change-baseline.js";
import { isBeyondReach, loadBaseline, type LoadedBaseline } from "./load-baseline.js";
import { usabilityOf, standsForCase, type RanTest } from "./usability-of.js";
import type { AssertionResult } from "../assertions/assertion-result.js";
import { withPrograms, type AgentParts } from "../plan/identity/agent-parts.js";
import { hashText } from "../plan/identity/content-hash.js";
import { decideUpdate, type BaselineUpdate } from "./update-entries.js";
import { describeCalls } from "./describe-calls.js";

export interface SuiteToSet {
  /** The folder that contains `.kindlm`. */
  root: string;
  result: RunResult;
  /** All but the suite. */
  header: Omit<BaselineHeader, "suite">;
  withOutputs: boolean;
  dryRun: boolean;
  /** Pools the trials with those that are saved. */
  add: boolean;
  /** Whether an entry goes because the config has its case no more. */
  isGone(caseId: string): boolean;
}

/** Saves the results of a suite. Fails with STORE_WRITE_ERROR, and if the trials cannot be read. */
export async function setSuite(
  { name, tests }: SuiteResult,
  { root, result, header, withOutputs, dryRun, add, isGone }: SuiteToSet,
  world: { clock: Clock; redactor: Redactor },
): Promise<Result<SetBaseline>> {
  const suite = world.redactor.redact(name);
  const place = baselinePlace(root, suite);
  const found = await attempt(
    () => takeCases(tests, result, withOutputs, world.redactor),
    (cause) => kindlmError("STORE_CORRUPT", `The trials of the run cannot be read: ${messageOf(cause)}`, { cause }),
  );
  if (!found.success) return found;
  const { fresh, left } = found.data;
  const update = (present: LoadedBaseline) => {
    const decided = decideUpdate({ present: entriesOf(present), fresh, isGone, add });
    return { decided, replaced: present.status === "unusable" ? present.error : null };
  };
  const refusal = add ? await refuseAddition(place, suite, update) : null;
  if (refusal !== null) return failure(refusal);
  const outcome = dryRun
    ? await foresee(place, update)
    : await changeBaseline(place, world, (present) => {
        const updated = update(present);
        return { content: { header: { suite, ...header }, entries: updated.decided.entries }, outcome: updated };
      });
  if (!outcome.success) return outcome;
  const { decided, replaced } = outcome.data;
  const { entries, refused, ...changes } = decided;
  const taken = new Set([...changes.added, ...changes.updated, ...changes.unchanged]);
  const failing = [...taken].filter((caseId) => entries.get(caseId)?.isPassed === false);
  return success({ suite, file: place.shown, ...changes, left: [...left, ...refused], failing, replaced });
}

/** A run of which no case can be added would change nothing but the header, as if it were in the baseline. */
async function refuseAddition(
  place: BaselinePlace,
  suite: string,
  update: (present: LoadedBaseline) => { decided: BaselineUpdate },
): Promise<KindlmError | null> {
  const foreseen = await foresee(place, update);
  if (!foreseen.success) return foreseen.error;
  const { added, updated, refused } = foreseen.data.decided;
  const [first] = refused;
  if (first === undefined || added.length + updated.length > 0) return null;
  const message = `No case of the run can be added to the baseline of suite "${suite}": ${first.caseId} (${first.reason})`;
  const hint = "Run the tests again and add that run, or replace the baseline: kindlm baseline set";
  return kindlmError("BASELINE_REFUSED", message, { details: { hint } });
}

/** The result of a dry run. */
async function foresee<T>(place: BaselinePlace, update: (present: LoadedBaseline) => T): Promise<Result<T>> {
  const present = await loadBaseline(place);
  return isBeyondReach(present) ? failure(present.error) : success(update(present));
}

/** The results of the cases of a suite as a baseline has them. Rejects if the trials cannot be read. */
export async function takeCases(
  tests: readonly TestResult[],
  { agents = {}, trials, run }: RunResult,
  withOutputs: boolean,
  redactor: Redactor,
): Promise<{ fresh: readonly BaselineEntry[]; left: SetBaseline["left"] }> {
  const fresh = new Map<string, BaselineEntry>();
  const left: { caseId: string; reason: string }[] = [];
  for (const test of tests) {
    const caseId = redactor.redact(test.id);
    const usable = usabilityOf(test);
    if (usable.reason !== null) left.push({ caseId, reason: usable.reason });
    else if (fresh.has(caseId)) left.push({ caseId, reason: "two cases have this ID after secrets are masked" });
    else {
      const agent = agents[usable.test.agentHash] ?? null;
      const source = { test: usable.test, trials: trials(test.id), agent, withOutputs, run: run.id };
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

interface EntrySource {
  test: RanTest;
  trials: AsyncIterable<TrialResult>;
  /** Null where it is not known. */
  agent: AgentParts | null;
  /** Keep the answer of every case. */
  withOutputs: boolean;
  /** Its id. */
  run: string;
}

/** Builds the saved entry of a case. Rejects if its trials cannot be read. */
async function buildEntry(
  { test, trials, agent, withOutputs, run }: EntrySource,
  { redact }: Pick<Redactor, "redact">,
): Promise<BaselineEntry> {
  let standing: TrialResult | null = null;
  const scores = new Map<string, { sum: number; count: number }>();
  let needsOutput = withOutputs;
  for await (const trial of trials) {
    if (standing === null || (!standsForCase(test, standing) && standsForCase(test, trial))) standing = trial;
    addScores(scores, trial.assertions, redact);
    needsOutput ||= trial.assertions.some(isDrift);
  }
  const output = redact(standing?.output ?? "");
  return {
    caseId: redact(test.id),
    passes: test.passes,
    trials: test.counted,
    required: test.required,
    isPassed: test.status === "passed",
    ...(test.attack === undefined ? {} : { attack: attackCounts(test.attack) }),
    ...(test.deterministic === true ? { deterministic: true } : {}),
    checkHash: test.checkHash,
    agentHash: test.agentHash,
    ...(agent === null ? {} : { agent: withPrograms(agent, test.programs) }),
    servedBy: test.servedBy === undefined || test.servedBy === null ? null : redact(test.servedBy),
    calls: standing === null ? [] : describeCalls(standing, redact),
    outputHash: hashText(output),
    ...(needsOutput ? { output } : {}),
    scores: Object.fromEntries([...scores].map(([label, { sum, count }]) => [label, Number((sum / count).toFixed(4))])),
    costUsd: test.costUsd === null ? null : Number(test.costUsd.toPrecision(9)),
    latencyMs: Number(test.latencyMs.toFixed(1)),
    ...(test.effort === undefined ? {} : { effort: test.effort }),
    runs: [run],
  };
}

function addScores(
  scores: Map<string, { sum: number; count: number }>,
  assertions: readonly AssertionResult[],
  redact: Redactor["redact"],
): void {
  assertions.forEach(({ type, id, score, skipped, error }, index) => {
    if (skipped === true || error !== undefined) return;
    const label = `${index + 1} ${redact(id ?? type)}`;
    const { sum, count } = scores.get(label) ?? { sum: 0, count: 0 };
    scores.set(label, { sum: sum + score, count: count + 1 });
  });
}

/** It measures against the saved answer. */
function isDrift({ type, parts }: AssertionResult): boolean {
  return type === "drift" || (parts ?? []).some(isDrift);
}

import path from "node:path";
import { conductRun } from "../run/conduct-run.js";
import type { RunResult, ScoredSource } from "../engine/run-result.js";
import { withRunWorld, type Environment, type RunWorld, type World } from "../run/environment.js";
import type { Diagnostic } from "../errors/error-table.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { resumedOptions } from "../journal/earlier-run.js";
import type { JournalHeader } from "../journal/journal-record.js";
import { readJournal } from "../journal/read-journal.js";
import { findRunFolder, type RunFolder } from "../journal/run-folder.js";
import { locateRoot } from "../config/locate-root.js";
import type { IdentifyCase } from "../plan/identity/case-identity.js";
import { loadIdentifier } from "../plan/identity/load-identifier.js";
import type { PlannedCase, RunPlan } from "../plan/run-plan.js";
import { preparePlan } from "../run/prepare-plan.js";
import { failure, success, type Result } from "../result.js";
import { plural } from "../values/plural.js";
import { createFoundTrials, type FoundTrial, type FoundTrials } from "../score/found-trials.js";
import { sourceAt } from "../score/transcript-source.js";
import { createJournalTrials } from "../score/journal-trials.js";
import { createRecordedTrials } from "../score/recorded-trials.js";
import type { RescoreOptions } from "../score/score-options.js";
import { planScoring, type ScoringDecision } from "../score/plan-scoring.js";

export type { RescoreOptions } from "../score/score-options.js";

/**
 * Evaluates the assertions of the config as it is now on the conversations of a run, and asks no model but judges. Makes
 * a new run; the old one stays as it is. Cases whose agent or setup has changed since are skipped, with the
 * reason. Fails with RUN_NOT_FOUND, STORE_CORRUPT, and where a run would not start.
 */
export function rescoreRun(options: RescoreOptions, environment: Environment = {}): Promise<Result<RunResult>> {
  return withRunWorld(environment, (world) => rescoreIn(world, options));
}

async function rescoreIn(world: RunWorld, { run, ...given }: RescoreOptions): Promise<Result<RunResult>> {
  const root = await locateRoot(given, world.cwd);
  const folder = await findRunFolder(root, run, world.cwd);
  if (!folder.success) return folder;
  const stored = await readStored(folder.data, world);
  if (!stored.success) return stored;
  const { header, found } = stored.data;
  if (header.scored?.from === "transcripts") return failure(isOfTranscripts(folder.data.id, header.scored.files));
  const merged = resumedOptions({ ...given, cassette: "off" }, header, root);
  if (!merged.success) return merged;
  // A shard is scored again as what it is: the cases that it has.
  // Extra trials would call the model under test.
  const { shard: _shard, shardDurations: _durations, confirm: _confirm, ...rest } = merged.data;
  const wanted = { ...rest, untilDecided: false };
  const prepared = await preparePlan(wanted, world);
  if (!prepared.success) return prepared;
  const { config, plan } = prepared.data;
  const identify = await loadIdentifier(config, plan);
  const usable = createUsable(found, identify, world.redactor.redact);
  const scoring = planScoring(plan, { agentsOf: () => [], decide: (planned) => usable(planned).decision });
  if (scoring.trialCount === 0) return failure(nothingToScore(folder.data.id, scoring));
  const warnings = [...scoring.warnings, ...fewerTrials(plan, usable)];
  const source: ScoredSource = { from: "run", run: folder.data.id };
  const trials = createRecordedTrials(
    (planned) => usable(planned).trials,
    (planned, { record }) => record?.identity.scoringHash === identify(planned).scoringHash,
  );
  const recorded = { source, trials };
  return conductRun(
    { options: wanted, config, plan: { ...scoring, warnings }, identify, earlier: null, recorded },
    world,
  );
}

async function readStored(
  folder: RunFolder,
  { cwd }: World,
): Promise<Result<{ header: JournalHeader; found: FoundTrials }>> {
  const shown = path.relative(cwd, folder.journal) || folder.journal;
  const trials = createJournalTrials(sourceAt(shown, folder.journal));
  const read = await readJournal(folder.journal, shown, trials.add);
  if (!read.success) return read;
  const found = createFoundTrials();
  trials.moveTo(found, () => true);
  return success({ header: read.data.header, found });
}

interface UsableTrials {
  decision: ScoringDecision;
  trials: readonly FoundTrial[];
}

/** Returns which trials of a case can be scored again. Called repeatedly for one case, trial by trial. */
function createUsable(
  found: FoundTrials,
  identify: IdentifyCase,
  redact: (text: string) => string,
): (planned: PlannedCase) => UsableTrials {
  let last: { id: string; usable: UsableTrials } | null = null;
  return (planned) => {
    if (last?.id !== planned.id) {
      const all = found.of(redact(planned.id)).toSorted((a, b) => numberOf(a) - numberOf(b));
      last = { id: planned.id, usable: decideUsable(all, identify(planned)) };
    }
    return last.usable;
  };
}

function decideUsable(all: readonly FoundTrial[], now: ReturnType<IdentifyCase>): UsableTrials {
  const skip = (reason: string): UsableTrials => ({ decision: { skip: reason }, trials: [] });
  const [first] = all;
  if (first === undefined) return skip("the run has no conversation for it");
  const trials = all.filter(
    ({ record }) => record?.identity.agentHash === now.agentHash && record.identity.setupHash === now.setupHash,
  );
  if (trials.length === 0) {
    const isSameAgent = all.some(({ record }) => record?.identity.agentHash === now.agentHash);
    return skip(
      isSameAgent
        ? "its setup has changed since the run: input, row, tool answers, faults, limits or simulated user"
        : "its agent has changed since the run: prompt, model, parameters, tools or target",
    );
  }
  const isOverlooked = trials.some(
    ({ record }) => record?.isMasked === true && record.identity.scoringHash !== now.scoringHash,
  );
  if (isOverlooked) return skip("personal data or secrets in it are masked, so assertions might miss them");
  return { decision: { trials: trials.length, isElsewhere: false }, trials };
}

function numberOf({ record }: FoundTrial): number {
  return record?.trial ?? 0;
}

/** What the config asks for now and the run does not have. */
function fewerTrials(plan: RunPlan, usable: (planned: PlannedCase) => UsableTrials): readonly Diagnostic[] {
  let cases = 0;
  for (const planned of plan.cases()) {
    const { length } = usable(planned).trials;
    if (planned.skip === null && length > 0 && length < planned.runs) cases += 1;
  }
  if (cases === 0) return [];
  const message = `${plural(cases, "case")} ${cases === 1 ? "has" : "have"} fewer trials in the run than the config requires now; the pass rate counts only those`;
  return [{ code: "RUN_NOT_FOUND", severity: "warning", message }];
}

function isOfTranscripts(run: string, files: readonly string[]) {
  const message = `The run ${run} scored transcripts; score them again with kindlm score ${files.join(" ")}`;
  return kindlmError("RUN_NOT_FOUND", message, { details: { run } });
}

function nothingToScore(run: string, scoring: RunPlan) {
  const reasons = new Set<string>();
  for (const { skip } of scoring.cases()) if (skip !== null) reasons.add(skip);
  const why = reasons.size === 0 ? "the config has none of its cases" : [...reasons].join("; ");
  const message = `No case of run ${run} can be scored again: ${why}`;
  return kindlmError("RUN_NOT_FOUND", message, { details: { run, reason: "nothing_to_rerun" } });
}

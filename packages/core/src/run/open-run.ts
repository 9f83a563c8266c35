import path from "node:path";
import type { ResolvedConfig } from "../config/resolved-config.js";
import type { MissListener } from "../cassette/open-run-cassette.js";
import type { EarlierTrials, TrialStore } from "../engine/ports.js";
import type { ScoredSource } from "../engine/run-result.js";
import { storedOptions, type EarlierRun } from "../journal/earlier-run.js";
import { journalVersion, type JournalHeader } from "../journal/journal-record.js";
import { noJournal, openJournal, type Journal } from "../journal/open-journal.js";
import { createRunId } from "../journal/run-id.js";
import type { Identifier } from "../plan/identity/case-identity.js";
import type { RunTestsOptions } from "../plan/run-options.js";
import type { RunPlan } from "../plan/run-plan.js";
import { describeShard } from "../plan/shard/take-shard.js";
import type { ShardInfo } from "../plan/shard/shard-info.js";
import { kindlmVersion } from "../version.js";
import type { RunWorld } from "./environment.js";

/** A run that is planned. It holds only the earlier run open. */
export interface PlannedRun {
  options: RunTestsOptions;
  config: ResolvedConfig;
  plan: RunPlan;
  identify: Identifier;
  /** The run that goes on, locked; null for a new one. */
  earlier: EarlierRun | null;
  /** The ID of a run that ended before it started, and starts now; absent for a new ID. */
  runId?: string;
  /**
   * Trials of other runs, or transcripts, that take the place of trials that are run; absent when all are run. `source` is
   * null for a round of watch mode, whose other trials are run.
   */
  recorded?: { source: ScoredSource | null; trials: EarlierTrials };
  /** Takes the trials of a run that only finds out what recordings answer, and that leaves nothing behind. */
  replay?: MissListener & { trials: TrialStore };
}

/** A run that can be found again, whatever happens to it. */
export interface OpenRun extends PlannedRun {
  /** What the run was when it began. */
  header: JournalHeader;
  journal: Journal;
  /** Null for a whole run. */
  shard: ShardInfo | null;
}

/** Opens the journal of a run, which the world closes at the latest. Never fails: a run does not depend on what it keeps. */
export function openRun(planned: PlannedRun, world: RunWorld): OpenRun {
  const { options, plan, identify, earlier, replay } = planned;
  const header = earlier?.header ?? headerOf(planned, world);
  const shard = plan.part === undefined ? null : describeShard(plan.part, identify);
  if (replay !== undefined) return { ...planned, header, journal: noJournal(replay.trials), shard };
  if (options.journal === false) return { ...planned, header, journal: noJournal(), shard };
  const { clock, redactor, cwd } = world;
  const shown = (file: string): string => path.relative(cwd, file) || file;
  const journal = openJournal(plan, header, earlier, { clock, redactor, identify, shown });
  const close = world.atEnd(() => journal.close());
  return { ...planned, header, journal: { ...journal, close }, shard };
}

function headerOf({ options, plan, runId, recorded }: PlannedRun, { clock, cwd }: RunWorld): JournalHeader {
  const startedAt = clock.now();
  return {
    kind: "run",
    version: journalVersion,
    kindlm: kindlmVersion,
    runId: runId ?? createRunId(startedAt),
    startedAt: new Date(startedAt).toISOString(),
    seed: plan.seed,
    project: plan.project,
    files: plan.files,
    options: storedOptions(options, plan.root, cwd),
    ...(recorded?.source === undefined || recorded.source === null ? {} : { scored: recorded.source }),
  };
}

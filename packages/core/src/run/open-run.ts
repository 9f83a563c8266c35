import type { BegunRun } from "./begin-run.js";
import type { ResolvedConfig } from "../config/resolved-config.js";
import type { ScoredSource } from "../engine/run-result.js";
import type { Diagnostic } from "../errors/error-table.js";
import type { FullEnvironment } from "./environment-ports.js";
import { storedOptions } from "../journal/earlier-run.js";
import { journalVersion, type JournalHeader } from "../journal/journal-record.js";
import { noJournal, openJournal, type Journal } from "../journal/open-journal.js";
import { createRunId } from "../journal/run-id.js";
import type { Identifier } from "../plan/identity/case-identity.js";
import { loadIdentifier } from "../plan/identity/load-identifier.js";
import { describeShard } from "../plan/shard/describe-shard.js";
import type { ShardInfo } from "../plan/shard/shard-info.js";
import type { RunPlan } from "../plan/run-plan.js";
import { preparePlan } from "./prepare-plan.js";
import { success, type Result } from "../result.js";
import { kindlmVersion } from "../version.js";

/** A run that is ready to start, or to go on. */
export interface OpenRun {
  config: ResolvedConfig;
  plan: RunPlan;
  /** What the run was when it began. */
  header: JournalHeader;
  journal: Journal;
  identify: Identifier;
  /** Null for a whole run. */
  shard: ShardInfo | null;
}

/** Reads the config, plans the run and opens its journal. Fails where the config cannot be used. */
export async function openRun(begun: BegunRun, world: FullEnvironment): Promise<Result<OpenRun>> {
  const prepared = await preparePlan(begun.options, world, begun.sessions);
  if (!prepared.success) return prepared;
  const { config, plan } = prepared.data;
  const identify = await loadIdentifier(config, plan.part?.whole ?? plan);
  const warnings = begun.runId === undefined ? plan.warnings : [...plan.warnings, startsNow(begun.runId)];
  return success(openPlanned({ config, plan: { ...plan, warnings }, identify }, begun, world, null));
}

function startsNow(runId: string): Diagnostic {
  return {
    code: "STORE_CORRUPT",
    severity: "warning",
    message: `Run ${runId} was ended before it began, so it starts now`,
    hint: "It has the paths and options of this command, since those of the first one were not written down",
  };
}

/** Opens the journal of a run that is planned. `scored`: where its conversations come from; null when it holds them. */
export function openPlanned(
  { config, plan, identify }: Pick<OpenRun, "config" | "plan" | "identify">,
  { options, earlier, sessions, runId }: BegunRun,
  world: FullEnvironment,
  scored: ScoredSource | null,
): OpenRun {
  const startedAt = world.clock.now();
  const header: JournalHeader = earlier?.header ?? {
    kind: "run",
    version: journalVersion,
    kindlm: kindlmVersion,
    runId: runId ?? createRunId(startedAt),
    startedAt: new Date(startedAt).toISOString(),
    seed: plan.seed,
    project: plan.project,
    files: plan.files,
    options: storedOptions(options, plan.root, world.cwd),
    ...(scored === null ? {} : { scored }),
  };
  if (options.journal === false) return { config, plan, header, journal: noJournal(), identify, shard: null };
  const { clock, redactor, cwd } = world;
  const journal = openJournal(plan, header, earlier, {
    clock,
    redactor,
    identify,
    cwd,
    asked: sessions?.asked ?? null,
  });
  const shard = plan.part === undefined ? null : describeShard(plan.part, identify);
  return { config, plan, header, journal, identify, shard };
}

import { conductRun } from "../run/conduct-run.js";
import type { RunResult, ScoredSource } from "../engine/run-result.js";
import { withRunWorld, type Environment, type RunWorld } from "../run/environment.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { loadIdentifier } from "../plan/identity/load-identifier.js";
import type { RunTestsOptions } from "../plan/run-options.js";
import type { PlannedCase, RunPlan } from "../plan/run-plan.js";
import { preparePlan } from "../run/prepare-plan.js";
import { failure, type Result } from "../result.js";
import { plural } from "../values/plural.js";
import { indexTranscripts, type TranscriptIndex } from "../score/index-transcripts.js";
import { createKnownTests } from "../score/known-tests.js";
import { createRecordedTrials } from "../score/recorded-trials.js";
import type { ScoreOptions } from "../score/score-options.js";
import { caseIdWith, planScoring, type ScoringDecision } from "../score/plan-scoring.js";
import { openSources } from "../score/open-sources.js";
import type { TranscriptFact } from "../gates/define-gate.js";
import { gateDefinitions, withoutGates } from "../gates/registry.js";
import type { Diagnostic } from "../errors/error-table.js";

export type { ScoreOptions, ScoringOptions } from "../score/score-options.js";
export type { TranscriptStream } from "../score/transcript-source.js";

/**
 * Evaluates the assertions of a config on conversations that were recorded elsewhere. No model under test is asked. Each
 * line is a trial; several of one case are its trials. The result is a run like any other. Fails with TRANSCRIPT_INVALID
 * if a line cannot be used, listing all such lines, and if a run would not start.
 */
export function scoreTranscripts(options: ScoreOptions, environment: Environment = {}): Promise<Result<RunResult>> {
  return withRunWorld(environment, (world) => scoreIn(world, options));
}

async function scoreIn(
  world: RunWorld,
  { transcripts, testOfTraces, ...wanted }: ScoreOptions,
): Promise<Result<RunResult>> {
  const prepared = await preparePlan({ ...wanted, untilDecided: false }, world);
  if (!prepared.success) return prepared;
  const { config, plan } = prepared.data;
  const opened = await openSources(transcripts, testOfTraces ?? null, world.cwd);
  if (!opened.success) return opened;
  const sources = opened.data;
  if (testOfTraces !== undefined && !sources.some(({ isTraced }) => isTraced)) {
    return failure(untraced(sources.map(({ shown }) => shown)));
  }
  let ids: ReadonlySet<string> | null = null;
  const isPlanned = (caseId: string): boolean => (ids ??= idsOf(plan, world.redactor.redact)).has(caseId);
  const indexed = await indexTranscripts(sources, createKnownTests(config, plan), isPlanned);
  if (!indexed.success) return indexed;
  const index = indexed.data;
  const names = sources.map(({ shown }) => shown);
  if (index.taken === 0) return failure(nothingIn(names, index));
  const trialsOf = ({ id }: PlannedCase) => index.found.of(id);
  const agentsOf = createOtherAgents(plan, index);
  const scoring = planScoring(plan, { agentsOf, decide: (one) => decide(one, index, agentsOf(one)) });
  const adjusted = withToldGates({ ...scoring, warnings: [...plan.warnings, ...index.warnings] }, index.untold);
  const identify = await loadIdentifier(config, plan);
  // What the agent was given is not known to be what a baseline was set with.
  const given: RunTestsOptions = { ...wanted, cassette: "off", baseline: false };
  const source: ScoredSource = { from: "transcripts", files: names };
  const recorded = { source, trials: createRecordedTrials(trialsOf, () => false) };
  return conductRun({ options: given, config, plan: adjusted, identify, earlier: null, recorded }, world);
}

function decide(planned: PlannedCase, { found }: TranscriptIndex, others: readonly string[]): ScoringDecision {
  const trials = found.of(planned.id);
  if (trials.length === 0) {
    // Where the conversation was held with an agent that the config does not know, its own are not missed.
    const isThere = others.some((agent) => found.of(caseIdWith(planned, agent)).length > 0);
    return isThere ? null : { skip: "it has no transcript" };
  }
  if (trials.some(({ record }) => record?.isMasked === true)) {
    return { skip: "personal data or secrets in it are masked, so assertions might miss them" };
  }
  return { trials: trials.length, isElsewhere: trials.every(({ record }) => record === null) };
}

function idsOf(plan: RunPlan, redact: (text: string) => string): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { id } of plan.cases()) ids.add(redact(id));
  return ids;
}

/** The agents of a test that are not of the config: cases of the others are in the plan already. */
function createOtherAgents(plan: RunPlan, { agents }: TranscriptIndex): (planned: PlannedCase) => readonly string[] {
  const others = new Map<PlannedCase["test"], Set<string>>();
  for (const { suite, test, agentId } of plan.cases()) {
    const ofTest = others.get(test) ?? new Set(agents.get(`${suite}/${test.name}`));
    ofTest.delete(agentId);
    others.set(test, ofTest);
  }
  return ({ test }) => [...(others.get(test) ?? [])];
}

function nothingIn(names: readonly string[], { left }: TranscriptIndex) {
  const shown = names.join(", ");
  const message =
    left === 0
      ? `Nothing to score in ${shown}`
      : `None of the ${plural(left, "transcript")} in ${shown} belongs to a selected test`;
  return kindlmError("TRANSCRIPT_INVALID", message, { details: { path: shown, diagnostics: [] } });
}

function untraced(names: readonly string[]) {
  const shown = names.join(", ");
  const message = `There are no traces whose test could be named: ${shown} contains no spans, and transcripts name their tests themselves`;
  return kindlmError("TRANSCRIPT_INVALID", message, { details: { path: shown, diagnostics: [] } });
}

/** The plan without gates on what the transcripts do not contain: they would always fail, and say nothing. */
function withToldGates(plan: RunPlan, untold: Readonly<Record<TranscriptFact, number>>): RunPlan {
  const left = Object.entries(untold).flatMap(([fact, count]) =>
    count === 0
      ? []
      : gateDefinitions.flatMap(({ name, keptAs, needsFact }) =>
          needsFact?.fact === fact
            ? [{ name, keptAs, why: `${plural(count, "transcript")} without ${needsFact.words}` }]
            : [],
        ),
  );
  const isLeft = ({ name }: { name: string }): boolean => left.some((gate) => gate.name === name);
  const suites = plan.suites.map((suite) => {
    if (suite.status === "broken" || suite.source.gates === undefined) return suite;
    return { ...suite, source: { ...suite.source, gates: withoutGates(suite.source.gates, isLeft) } };
  });
  const all = [
    plan.gates,
    ...plan.suites.flatMap((suite) => (suite.status === "ready" ? (suite.source.gates ?? []) : [])),
  ];
  const warnings = left.flatMap(({ name, keptAs, why }): readonly Diagnostic[] => {
    if (!all.some((gates) => Object.hasOwn(gates, keptAs))) return [];
    const message = `The gate ${name} is not evaluated: ${why}`;
    return [{ code: "TRANSCRIPT_INVALID", severity: "warning", message }];
  });
  return { ...plan, suites, gates: withoutGates(plan.gates, isLeft), warnings: [...plan.warnings, ...warnings] };
}

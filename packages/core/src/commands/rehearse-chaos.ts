import type { RunEvent } from "../engine/run-event.js";
import { summarize, summarizeSuites } from "../engine/summary/summarize.js";
import { withRunWorld, type Environment, type RunWorld } from "../run/environment.js";
import type { ErrorCode } from "../errors/kindlm-error.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { nameOfGate } from "../gates/gate-place.js";
import { decideGates, type GateRules } from "../gates/decide-gates.js";
import { withoutGates, type GateConfig } from "../gates/registry.js";
import { decideRunVerdict } from "../verdict/decide-run-verdict.js";
import { gateRulesOf } from "../plan/gate-rules.js";
import type { RunPlan } from "../plan/run-plan.js";
import { preparePlan } from "../run/prepare-plan.js";
import { failure, success, type Result } from "../result.js";
import type { RunTestsOptions } from "../plan/run-options.js";
import { createVirtualClock } from "../values/fast-clocks.js";
import { adviseOn } from "../rehearsal/advise-on.js";
import { planChaos } from "../rehearsal/plan-chaos.js";
import type { ChaosOutcome, ChaosReport } from "../rehearsal/chaos-report.js";
import { chaosScenarios, type ChaosScenario } from "../rehearsal/chaos-scenarios.js";
import { runRehearsal, type RehearsalSettings } from "../rehearsal/run-rehearsal.js";

export type { ChaosOutcome, ChaosReport } from "../rehearsal/chaos-report.js";

/** More would show the same and take long. */
const maxCases = 200;

/**
 * Runs the config against scripted models that misbehave, provider by provider, and reports how retry, limiter, circuit
 * breaker, fallbacks and gates would act. Nothing is sent, no tool is called, and no time is waited for. A trial counts
 * as passed when its conversation comes to an end. Fails where a run would not start, and with ENGINE_ABORTED.
 */
export function rehearseChaos(options: RunTestsOptions, environment: Environment = {}): Promise<Result<ChaosReport>> {
  return withRunWorld(environment, (world) => rehearseIn(world, options));
}

async function rehearseIn(world: RunWorld, options: RunTestsOptions): Promise<Result<ChaosReport>> {
  const prepared = await preparePlan(options, world);
  if (!prepared.success) return prepared;
  const { config, plan } = prepared.data;
  const outcomes: ChaosOutcome[] = [];
  // Each rehearsal has the processor to itself.
  for (const victim of providersOf(plan)) {
    let calmMs: number | null = null;
    for (const scenario of chaosScenarios) {
      if (world.signal?.aborted)
        return failure(
          kindlmError("ENGINE_ABORTED", "The rehearsal was interrupted", {
            details: { hint: "Start the command again" },
          }),
        );
      const clock = createVirtualClock(world.clock.now());
      const events = new EventCounts();
      const rehearsed = planChaos(plan, { scenario, victim, maxCases });
      const outcome = await rehearse({ plan: rehearsed, config, world, clock, onEvent: events.hear });
      calmMs ??= outcome.durationMs;
      const told = { ...outcome, ...nameOf(scenario, victim), circuitOpened: events.circuitOpened };
      outcomes.push({ ...told, advice: adviseOn(told, scenario, calmMs) });
    }
  }
  const totalCases = countModelCases(plan);
  return success({ cases: Math.min(maxCases, totalCases), totalCases, outcomes });
}

type BareOutcome = Omit<ChaosOutcome, "scenario" | "summary" | "provider" | "circuitOpened" | "advice">;

async function rehearse(rehearsal: RehearsalSettings): Promise<BareOutcome> {
  const { plan, clock } = rehearsal;
  const { suites, totals, suiteTotals, stoppedBy, haltedBy } = await runRehearsal(rehearsal);
  const summary = summarize(suites, totals);
  const suiteSummaries = summarizeSuites(suites, suiteTotals);
  const rules = { ...gatesToRehearse(plan), exitOn: plan.exitOn };
  const gates = decideGates(rules, { summary, suiteSummaries });
  const { redact } = rehearsal.world.redactor;
  const question = { suites, summary, gates, rules, redact, stoppedBy, haltedBy, isPart: false };
  const verdict = decideRunVerdict(question);
  const errorsByCode: Partial<Record<ErrorCode, number>> = {};
  for (const test of suites.flatMap((suite) => suite.tests)) {
    if (test.status === "errored") errorsByCode[test.error.code] = (errorsByCode[test.error.code] ?? 0) + 1;
  }
  return {
    ...verdict,
    answered: summary.passed,
    errored: summary.errored,
    skipped: summary.skipped,
    errorsByCode,
    requests: summary.requests,
    retries: summary.retries,
    fallbacks: summary.fallbacks,
    durationMs: clock.monotonic(),
    trippedGates: gates.filter((gate) => !gate.pass).map(nameOfGate),
  };
}

/** No assertion is evaluated, so that there are no scores. */
function gatesToRehearse(plan: RunPlan): GateRules {
  const withoutJudges = (gates: GateConfig): GateConfig =>
    withoutGates(gates, ({ needsScores }) => needsScores === true);
  const { gates, suiteGates = {} } = gateRulesOf(plan);
  const ofSuites = Object.entries(suiteGates).map(([name, own]) => [name, withoutJudges(own)] as const);
  return { gates: withoutJudges(gates), suiteGates: Object.fromEntries(ofSuites) };
}

function nameOf({ name, summary }: ChaosScenario, provider: string) {
  return { scenario: name, summary, provider };
}

function countModelCases(plan: RunPlan): number {
  let count = 0;
  for (const { model } of plan.cases()) if (model !== null) count += 1;
  return count;
}

/** The providers of the models under test. */
function providersOf(plan: RunPlan): readonly string[] {
  const names = new Set<string>();
  for (const { model } of plan.cases()) if (model !== null) names.add(model.settings.providerName);
  return [...names];
}

class EventCounts {
  circuitOpened = 0;
  readonly hear = (event: RunEvent): void => {
    if (event.type === "breaker" && event.state === "open") this.circuitOpened += 1;
  };
}

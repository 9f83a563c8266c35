import type { RunEvent } from "../engine/run-event.js";
import type { TrialStore } from "../engine/ports.js";
import { withRunWorld, type Environment, type RunWorld } from "../run/environment.js";
import { kindlmError } from "../errors/kindlm-error.js";
import type { RunPlan } from "../plan/run-plan.js";
import { preparePlan } from "../run/prepare-plan.js";
import type { HttpTransport } from "../providers/http/transport.js";
import { failure, success, type Result } from "../result.js";
import type { RunTestsOptions } from "../plan/run-options.js";
import { createAcceleratedClock } from "../values/fast-clocks.js";
import { plural } from "../values/plural.js";
import { createVacuityFindings } from "../rehearsal/vacuity-findings.js";
import type { TestVacuity, VacuityReport } from "../rehearsal/vacuity-report.js";
import { casesToTry, planVacuity } from "../rehearsal/plan-vacuity.js";
import { runRehearsal } from "../rehearsal/run-rehearsal.js";
import { stubAgents } from "../rehearsal/stub-agents.js";

export type {
  OpenQuestion,
  PassedAssertion,
  StubAgentInfo,
  TestVacuity,
  VacuityReport,
  VacuityVerdict,
  VacuousPass,
} from "../rehearsal/vacuity-report.js";

/** Simulated tools that wait a minute have waited a twentieth of a second. */
const hurry = 1_200;

/**
 * Runs the config against stub agents that do nothing useful, and reports which tests they pass all the same. No
 * provider is called, no program, service or module of the user's is run but those that check, and nothing is kept. Fails
 * where a run would not start, and with ENGINE_ABORTED.
 */
export function rehearseVacuity(
  options: RunTestsOptions,
  environment: Environment = {},
): Promise<Result<VacuityReport>> {
  return withRunWorld({ ...environment, http: nothingIsSent }, (world) => rehearseIn(world, options));
}

async function rehearseIn(world: RunWorld, options: RunTestsOptions): Promise<Result<VacuityReport>> {
  const prepared = await preparePlan(options, world);
  if (!prepared.success) return prepared;
  const { config, plan } = prepared.data;
  const cases = casesToTry(plan);
  const findings = createVacuityFindings(cases);
  for (const stub of stubAgents) {
    const onEvent = (event: RunEvent): void => {
      if (event.type === "case:end") findings.add(stub, event.result, event.assertions);
    };
    const rehearsed = planVacuity(plan, cases, stub);
    const clock = createAcceleratedClock(world.clock, hurry);
    // One after the other, so that the report has their order.
    const outcome = await runRehearsal({ plan: rehearsed, config, world, clock, onEvent, trials: forgetful });
    if (outcome.stoppedBy !== null) return failure(kindlmError("ENGINE_ABORTED", "The check was interrupted"));
  }
  const tests = findings.finish();
  const reasons = reasonsIn(tests, plan);
  const told = stubAgents.map(({ name, summary }) => ({ name, summary }));
  return success({ isPassing: reasons.length === 0, reasons, standIns: told, tests });
}

function reasonsIn(tests: readonly TestVacuity[], plan: RunPlan): readonly string[] {
  const vacuous = tests.filter(({ verdict }) => verdict === "vacuous").length;
  const broken = plan.suites.filter(({ status }) => status === "broken");
  return [
    ...(vacuous > 0 ? [`${plural(vacuous, "test")} ${vacuous === 1 ? "is" : "are"} vacuous`] : []),
    ...broken.map(({ name }) => `the suite ${name} cannot run`),
    ...(tests.every(({ verdict }) => verdict === "skipped") ? ["no test was checked"] : []),
  ];
}

/** What a stub agent says need not be stored. */
const forgetful: TrialStore = {
  append: () => success(undefined),
  flush: () => Promise.resolve(),
  async *read() {},
};

/** Any request to a service gets the error that there is no network. */
const nothingIsSent: HttpTransport = {
  send() {
    const message = "nothing is sent while stub agents replace the agent";
    return Promise.resolve({
      success: false,
      error: { kind: "network", systemCode: null, message, cause: new Error(message) },
    });
  },
  close: () => Promise.resolve(),
};

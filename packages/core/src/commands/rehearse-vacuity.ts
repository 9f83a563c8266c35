import type { RunEvent } from "../engine/run-event.js";
import type { TrialStore } from "../engine/ports.js";
import { withRunWorld, type Environment, type RunWorld } from "../run/environment.js";
import { kindlmError } from "../errors/kindlm-error.js";
import type { RunPlan, PlannedCase, PlannedModel, RenderedCase } from "../plan/run-plan.js";
import { preparePlan } from "../run/prepare-plan.js";
import type { HttpTransport } from "../providers/http/transport.js";
import { failure, success, type Result } from "../result.js";
import type { RunTestsOptions } from "../plan/run-options.js";
import { createAcceleratedClock } from "../values/fast-clocks.js";
import { plural } from "../values/plural.js";
import { createVacuityFindings } from "../rehearsal/vacuity-findings.js";
import type { TestVacuity, VacuityReport } from "../rehearsal/vacuity-report.js";
import { runRehearsal } from "../rehearsal/run-rehearsal.js";
import { stubAgents, providerOf, stubUser, type StubAgent } from "../rehearsal/stub-agents.js";
import { asksModel } from "../assertions/asks-model.js";
import type { ParsedAssertion } from "../assertions/parsed-assertion.js";
import type { ResolvedModel } from "../config/resolved-model.js";
import { retryPresets } from "../resilience/retry-policy.js";
import { harmlessTools } from "../rehearsal/harmless-tools.js";
import { derivePlan } from "../plan/derive-plan.js";
import { planRehearsal } from "../rehearsal/plan-rehearsal.js";

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
    const clock = createAcceleratedClock(world.clock, hurry);
    // One after the other, so that the report has their order.
    const outcome = await runRehearsal({
      plan: planVacuity(plan, cases, stub),
      config,
      world,
      clock,
      onEvent,
      trials: forgetful,
    });
    if (outcome.stoppedBy !== null)
      return failure(
        kindlmError("ENGINE_ABORTED", "The check was interrupted", { details: { hint: "Start the command again" } }),
      );
  }
  await runRehearsal({
    plan: planGoals(plan, cases),
    config,
    world,
    clock: createAcceleratedClock(world.clock, hurry),
    onEvent: (event) => {
      if (event.type === "case:end") findings.addGoals(event.result, event.assertions);
    },
    trials: forgetful,
  });
  const tests = findings.finish();
  const reasons = reasonsIn(tests, plan);
  const told = stubAgents.map(({ name, summary }) => ({ name, summary }));
  return success({ isPassing: reasons.length === 0, reasons, standIns: told, tests });
}

function reasonsIn(tests: readonly TestVacuity[], plan: RunPlan): readonly string[] {
  const goals = tests.reduce((sum, { metGoals }) => sum + (metGoals?.length ?? 0), 0);
  const vacuous = tests.filter(({ verdict }) => verdict === "vacuous").length;
  const broken = plan.suites.filter(({ status }) => status === "broken");
  return [
    ...(vacuous > 0 ? [`${plural(vacuous, "test")} ${vacuous === 1 ? "is" : "are"} vacuous`] : []),
    ...(goals > 0 ? [`${plural(goals, "goal")} of attacks ${goals === 1 ? "holds" : "hold"} without an attack`] : []),
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

/** Whatever a tool of the test waits for, nothing is cut off by the deadline of the trial. */
const longTrialMs = 7 * 86_400_000;

/** The cases that differ for a stub agent, which is the same for every model, prompt and arm that it replaces. */
function casesToTry(plan: RunPlan): readonly PlannedCase[] {
  const firsts = new Map<PlannedCase["test"], { agentId: string; prompt: PlannedCase["prompt"] }>();
  const arms = new Map<string, string>();
  const kept: PlannedCase[] = [];
  for (const planned of plan.cases()) {
    const { suite, test, agentId, prompt } = planned;
    const { arm } = test;
    if (arm !== undefined && !arms.has(suite)) arms.set(suite, arm);
    if (arm !== arms.get(suite)) continue;
    const first = firsts.get(test) ?? { agentId, prompt };
    firsts.set(test, first);
    if (first.agentId === agentId && first.prompt === prompt) kept.push(planned);
  }
  return kept;
}

/**
 * The plan with a stub agent in place of every agent: no provider is called, no program started and no tool run that does
 * anything. A single trial is enough, because a stub agent always does the same. What asks a judge cannot be evaluated.
 */
function planVacuity(plan: RunPlan, cases: readonly PlannedCase[], stub: StubAgent): RunPlan {
  const agent = modelOf(stub);
  const user = modelOf(stubUser);
  const planned = planRehearsal(plan, cases, (one) => rehearsed(one, agent, user));
  return { ...planned, bail: null, maxCostUsd: null, runTimeoutMs: null };
}

/** The goals of attacks on an agent that was not attacked, and does nothing: one that holds says nothing of an attack. */
function planGoals(plan: RunPlan, cases: readonly PlannedCase[]): RunPlan {
  const attacked = cases.filter(({ fault }) => fault.faults.some(({ effect }) => effect.kind === "inject"));
  const [silent] = stubAgents;
  const planned = planVacuity(plan, attacked, silent);
  return derivePlan(
    planned,
    () =>
      [...planned.cases()].map((one) => ({
        ...one,
        fault: { ...one.fault, faults: [] },
        render: () => {
          const rendered = one.render();
          if (!rendered.success) return rendered;
          const assertions = rendered.data.assertions.filter(({ goalOf }) => goalOf !== undefined);
          return success({ ...rendered.data, assertions });
        },
      })),
    () => [],
  );
}

function rehearsed(planned: PlannedCase, agent: ResolvedModel, user: ResolvedModel): PlannedCase {
  const timeouts = { ...planned.timeouts, trialMs: longTrialMs };
  const player: PlannedModel = { model: user, params: {}, timeouts };
  return {
    ...planned,
    test: { ...planned.test, target: null, mcpServers: [] },
    model: agent,
    params: {},
    timeouts,
    fallbacks: [],
    simulator: planned.simulator === null ? null : [player],
    runs: 1,
    required: 1,
    render: () => renderFor(planned),
  };
}

function renderFor(planned: PlannedCase): Result<RenderedCase> {
  const rendered = planned.render();
  if (!rendered.success) return rendered;
  const tools = harmlessTools(planned, rendered.data);
  if (!tools.success) return failure(kindlmError("CONFIG_VALIDATION_ERROR", tools.error));
  const { assertions, retries } = rendered.data;
  const own: RenderedCase = { ...rendered.data, tools: tools.data, assertions: assertions.map(unjudged) };
  if (retries === undefined) return success(own);
  return success({
    ...own,
    retries: retries.map((retry) =>
      retry === null
        ? null
        : { ...retry, assertions: retry.assertions.map(unjudged), stopWhen: retry.stopWhen.map(unjudged) },
    ),
  });
}

/** The assertion, without asking anybody. */
function unjudged(assertion: ParsedAssertion): ParsedAssertion {
  if (assertion.form === "group") return { ...assertion, members: assertion.members.map(unjudged) };
  if (!asksModel(assertion)) return assertion;
  const evaluate = () => failure(kindlmError("JUDGE_EVAL_ERROR", "No judge is called for a stub agent"));
  return { ...assertion, definition: { ...assertion.definition, evaluate } };
}

function modelOf(stub: StubAgent): ResolvedModel {
  const { name } = stub;
  return {
    id: name,
    definition: providerOf(stub),
    settings: { id: name, providerName: name, model: name, provider: {}, own: {}, documents: {} },
    params: {},
    retry: retryPresets.disabled,
    circuitBreaker: null,
    fallback: [],
    allowsFallback: false,
    rateLimits: { model: null, provider: null },
    stream: false,
    timeouts: {},
    pricing: { input: 0, output: 0 },
    deterministic: true,
  };
}

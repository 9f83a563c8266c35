import { asksModel } from "../assertions/asks-model.js";
import type { ParsedAssertion } from "../assertions/parsed-assertion.js";
import type { ResolvedModel } from "../config/resolved-model.js";
import { kindlmError } from "../errors/kindlm-error.js";
import type { PlannedCase, PlannedModel, RenderedCase, RunPlan } from "../plan/run-plan.js";
import { retryPresets } from "../resilience/retry-policy.js";
import { failure, success, type Result } from "../result.js";
import { harmlessTools } from "./harmless-tools.js";
import { planRehearsal } from "./plan-rehearsal.js";
import { providerOf, stubUser, type StubAgent } from "./stub-agents.js";

/** Whatever a tool of the test waits for, nothing is cut off by the deadline of the trial. */
const longTrialMs = 7 * 86_400_000;

/** The cases that differ for a stub agent, which is the same for every model and prompt that it replaces. */
export function casesToTry(plan: RunPlan): readonly PlannedCase[] {
  const firsts = new Map<PlannedCase["test"], { agentId: string; prompt: PlannedCase["prompt"] }>();
  const kept: PlannedCase[] = [];
  for (const planned of plan.cases()) {
    const { test, agentId, prompt } = planned;
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
export function planVacuity(plan: RunPlan, cases: readonly PlannedCase[], stub: StubAgent): RunPlan {
  const agent = modelOf(stub);
  const user = modelOf(stubUser);
  const planned = planRehearsal(plan, cases, (one) => rehearsed(one, agent, user));
  return { ...planned, bail: null, maxCostUsd: null, runTimeoutMs: null };
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

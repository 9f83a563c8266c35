import { attemptSync } from "../../errors/boundary.js";
import { messageOf } from "../../errors/message-of.js";
import { parseMatcher } from "../../matchers/parse-matcher.js";
import { previewCall } from "../../values/preview.js";
import { renderTemplate } from "../../values/template.js";
import { brokenFixture, missingValues, renderAnswer } from "../render-answer.js";
import { renderSteps } from "../state-path.js";
import type { SimulatedReply, SimulatedResponse, SimulatedToolConfig, StateCondition } from "../tool-config.js";
import {
  interrupted,
  type AnswerScope,
  type HandlerContext,
  type HandlerOutcome,
  type ToolHandler,
} from "../tool-handler.js";
import { valueAt } from "../trial-state.js";
import { untilAborted } from "../until-aborted.js";

type Answers = Pick<SimulatedToolConfig, "name" | "responses" | "default">;

/** Answers calls from the responses of the config. */
export function createSimulatedHandler(config: Answers, scope: AnswerScope): ToolHandler {
  const answer = createSimulatedAnswers(config, scope);
  return {
    async execute(args, context) {
      const message = `No simulated response for ${previewCall(config.name, args)}`;
      return (await answer(args, context)) ?? { ok: false, failure: { errorType: "logical", message } };
    },
  };
}

/** The same, with null for a call that no response is meant for. Which answer is used is fixed when the call starts. */
export function createSimulatedAnswers(
  config: Answers,
  scope: AnswerScope,
): (args: unknown, context: HandlerContext) => Promise<HandlerOutcome | null> {
  /** By response; those of the default are under null. */
  const uses = new Map<SimulatedResponse | null, number>();
  let calls = 0;

  const use = (response: SimulatedResponse | null, replies: readonly SimulatedReply[]): SimulatedReply | null => {
    const used = uses.get(response) ?? 0;
    uses.set(response, used + 1);
    return replies[Math.min(used, replies.length - 1)] ?? null;
  };
  const pick = (args: unknown, values: AnswerScope): SimulatedReply | null => {
    calls += 1;
    for (const response of config.responses) {
      if (response.call !== null && response.call !== calls) continue;
      if (response.times !== null && (uses.get(response) ?? 0) >= response.times) continue;
      if (!matchesArguments(response, args, values)) continue;
      if (!response.state.every((condition) => holds(condition, values))) continue;
      return use(response, response.replies);
    }
    return config.default === null ? null : use(null, config.default);
  };

  return async (args, context) => {
    const { signal, clock, state } = context;
    const picked = attemptSync(() => pick(args, { ...scope, args: args ?? {}, state: state.values }), messageOf);
    if (!picked.success) {
      return brokenFixture(`The responses of the simulated tool "${config.name}" cannot be matched: ${picked.error}`);
    }
    const reply = picked.data;
    if (reply === null) return null;
    if (reply.delayMs > 0) await clock.sleep(reply.delayMs, signal);
    if (signal.aborted) return interrupted;
    const problem = changeState(config.name, reply, { ...scope, args: args ?? {}, state: state.values }, context);
    if (problem !== null) return problem;
    if (reply.answer === "hang") {
      await untilAborted(signal);
      return interrupted;
    }
    return renderAnswer(config.name, reply.answer, { ...scope, args: args ?? {}, state: state.values });
  };
}

/** A condition that holds placeholders still reads the state, which may have changed since the last call. */
function matchesArguments(response: SimulatedResponse, args: unknown, values: AnswerScope): boolean {
  if (response.whenTemplate === undefined) return response.when === null || response.when.match(args ?? {}).pass;
  const rendered = renderTemplate(response.whenTemplate, { values });
  // What the state does not hold equals nothing.
  return rendered.success && matches(rendered.data, args ?? {});
}

function holds(condition: StateCondition, values: AnswerScope): boolean {
  const steps = renderSteps(condition.steps, values);
  if (!steps.success) return false;
  const value = valueAt(values["state"], steps.data);
  if (condition.matcher !== null) return condition.matcher.match(value).pass;
  const rendered = renderTemplate(condition.source, { values });
  return rendered.success && matches(rendered.data, value);
}

function matches(source: unknown, value: unknown): boolean {
  const matcher = parseMatcher(source);
  // A filled-in value may look like an unknown operator; then it is not a matcher, and matches nothing.
  return matcher.success && matcher.data.match(value).pass;
}

/** Every value is filled in from the previous state. Returns what prevents the change. */
function changeState(
  tool: string,
  { set }: SimulatedReply,
  values: AnswerScope,
  { state, audit }: HandlerContext,
): HandlerOutcome | null {
  if (set.length === 0) return null;
  const ready: { steps: readonly string[]; value: unknown }[] = [];
  for (const change of set) {
    const steps = renderSteps(change.steps, values);
    if (!steps.success) return missingValues(tool, steps.error);
    const value = renderTemplate<unknown>(change.value, { values });
    if (!value.success) return missingValues(tool, value.error);
    ready.push({ steps: steps.data, value: value.data });
  }
  const changes = ready.flatMap(({ steps, value }) => state.set(steps, value) ?? []);
  if (changes.length > 0) audit.stateChanges = [...(audit.stateChanges ?? []), ...changes];
  return null;
}

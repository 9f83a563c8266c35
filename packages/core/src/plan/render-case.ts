import type {
  ResolvedSimulatedUser,
  AssertionTemplate,
  DatasetRow,
  PromptVariant,
  ResolvedTest,
  RetryUntil,
} from "../config/resolved-config.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { parseMatcher } from "../matchers/parse-matcher.js";
import { failure, success, type Result } from "../result.js";
import type { TemplateScope } from "../values/template.js";
import { asText, fill, fillText, renderEach } from "./fill-template.js";
import { renderAssertion, renderAssertions } from "./render-assertions.js";
import type { RenderedCase, RenderedRetryUntil, RenderedSimulatedUser } from "./run-plan.js";
import type { ParsedAssertion } from "../assertions/parsed-assertion.js";
import { caseScope } from "../config/suite/check-placeholders.js";
import type { FaultVariant } from "../tools/faults/fault.js";
import type { AgentTemplate } from "../tools/builtin/task/agents-config.js";
import type { ToolConfig } from "../tools/tool-config.js";
import { renderTools } from "../tools/registry.js";
import type { Message, UserMessage } from "../transcript/message.js";

/** Fills the placeholders of a test with its vars and one row of its dataset. */
export function renderCase(
  test: ResolvedTest,
  prompt: PromptVariant,
  row: DatasetRow | null,
  fault: FaultVariant,
): Result<RenderedCase> {
  const scope = caseScope(test.vars, row);
  const system = prompt.system === null ? success(null) : fillText(prompt.system, scope);
  if (!system.success) return system;
  const input = renderInput(test, scope);
  if (!input.success) return input;
  const asserted = renderAssertions(test, fault, scope);
  if (!asserted.success) return asserted;
  const tools = renderAllTools(test, scope);
  if (!tools.success) return tools;
  const agents = renderAgents(test, tools.data, scope);
  if (!agents.success) return agents;
  const state = test.state === null ? success(null) : fill(test.state, scope);
  if (!state.success) return state;
  const retries =
    test.retries === undefined
      ? null
      : renderEach(test.retries, (retry) => (retry === null ? success(null) : renderRetry(retry, scope)));
  if (retries !== null && !retries.success) return retries;
  const { history, userTurns } = input.data;
  const { assertions, offers } = asserted.data;
  // Written out rather than spread: this is done once per case.
  const rendered: RenderedCase = {
    system: system.data,
    history,
    userTurns,
    assertions,
    tools: tools.data.slice(0, test.tools.length),
    answerScope: scope.values,
    state: state.data,
  };
  if (retries !== null) rendered.retries = retries.data;
  if (offers !== undefined) rendered.offers = offers;
  if (agents.data !== null) rendered.agents = agents.data;
  if (test.simulatedUser === null) return success(rendered);
  const user = renderSimulatedUser(test.simulatedUser, scope);
  if (!user.success) return user;
  rendered.simulatedUser = user.data;
  return success(rendered);
}

/** The tools of the agent, then those that only its sub-agents have. */
function everyTool({ tools, agents }: ResolvedTest): readonly ToolConfig[] {
  if (agents === undefined) return tools;
  return [...new Set([...tools, ...agents.templates.flatMap((template) => template.tools)])];
}

function renderAllTools(test: ResolvedTest, scope: TemplateScope): Result<readonly ToolConfig[]> {
  const rendered = renderTools(everyTool(test), scope.values);
  if (rendered.success) return rendered;
  return failure(kindlmError("CONFIG_VALIDATION_ERROR", `Not valid for this row: ${rendered.error}`));
}

/** A tool that several agents have stays one tool. `rendered`: of {@link everyTool}, in its order. */
function renderAgents(
  test: ResolvedTest,
  rendered: readonly ToolConfig[],
  scope: TemplateScope,
): Result<ReadonlyMap<string, AgentTemplate> | null> {
  if (test.agents === undefined) return success(null);
  const byConfig = new Map(everyTool(test).map((tool, index) => [tool, rendered[index] ?? tool]));
  const agents = renderEach(test.agents.templates, (template) => {
    const system = fillText(template.system, scope);
    if (!system.success) return system;
    const tools = template.tools.map((tool) => byConfig.get(tool) ?? tool);
    return success({ ...template, system: system.data, tools });
  });
  return agents.success ? success(new Map(agents.data.map((agent) => [agent.id, agent]))) : agents;
}

function renderInput(test: ResolvedTest, scope: TemplateScope): Result<Pick<RenderedCase, "history" | "userTurns">> {
  if (test.input.kind === "conversation") {
    const userTurns: UserMessage[] = [];
    for (const turn of test.input.userTurns) {
      const content = fill(turn.content, scope);
      if (!content.success) return content;
      userTurns.push({ role: "user", content: Array.isArray(content.data) ? content.data : asText(content.data) });
    }
    return success({ history: [], userTurns });
  }
  const messages: Message[] = [];
  for (const message of test.input.messages) {
    const filled = fill(message, scope);
    if (!filled.success) return filled;
    messages.push(withTextContent(filled.data));
  }
  // A simulated user begins, or nothing is said at all.
  if (messages.length === 0) return success({ history: [], userTurns: test.simulatedUser === null ? [null] : [] });
  const last = messages.at(-1);
  if (last?.role !== "user") return success({ history: messages, userTurns: [null] });
  return success({ history: messages.slice(0, -1), userTurns: [last] });
}

function withTextContent(message: Message): Message {
  if (message.role === "assistant" || Array.isArray(message.content)) return message;
  return { ...message, content: asText(message.content) };
}

/** The feedback waits for the answer that is rejected. */
function renderRetry(retry: RetryUntil, scope: TemplateScope): Result<RenderedRetryUntil> {
  const render = (template: AssertionTemplate): Result<ParsedAssertion> => renderAssertion(template, scope);
  const assertions = renderEach(retry.assertions, render);
  if (!assertions.success) return assertions;
  const stopWhen = renderEach(retry.stopWhen, render);
  if (!stopWhen.success) return stopWhen;
  const description = retry.description === null ? success(null) : fillText(retry.description, scope);
  if (!description.success) return description;
  const { maxTries, feedback, isStrict } = retry;
  const rendered = { assertions: assertions.data, stopWhen: stopWhen.data, description: description.data };
  return success({ ...rendered, maxTries, feedback, isStrict });
}

/** Fills the placeholders of a simulated user with those of a case. */
function renderSimulatedUser(
  { persona, goal, knows, maxTurns, stop }: ResolvedSimulatedUser,
  scope: TemplateScope,
): Result<RenderedSimulatedUser> {
  const filledPersona = persona === null ? success(null) : fillText(persona, scope);
  if (!filledPersona.success) return filledPersona;
  const filledGoal = fillText(goal, scope);
  if (!filledGoal.success) return filledGoal;
  const facts = renderEach(knows, (fact) => fillText(fact, scope));
  if (!facts.success) return facts;
  const user = { persona: filledPersona.data, goal: filledGoal.data, knows: facts.data, maxTurns };
  if (stop === null) return success({ ...user, stop: null });
  const filledStop = fill(stop, scope);
  if (!filledStop.success) return filledStop;
  const matcher = parseMatcher(filledStop.data);
  if (matcher.success) return success({ ...user, stop: matcher.data });
  const reason = matcher.error[0]?.message ?? "not valid";
  return failure(kindlmError("CONFIG_VALIDATION_ERROR", `"stop" of the simulated user is not valid: ${reason}`));
}

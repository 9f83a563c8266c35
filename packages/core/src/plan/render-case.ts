import type {
  ResolvedSimulatedUser,
  AssertionTemplate,
  DatasetRow,
  PromptVariant,
  ResolvedTest,
  RetryUntil,
} from "../config/resolved-config.js";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import { parseMatcher } from "../matchers/parse-matcher.js";
import { failure, success, type Result } from "../result.js";
import { type TemplateScope, renderTemplate } from "../values/template.js";
import type { RenderedCase, RenderedRetryUntil, RenderedSimulatedUser } from "./run-plan.js";
import { parseAssertion } from "../assertions/parse-assertion.js";
import type { ParsedAssertion } from "../assertions/parsed-assertion.js";
import { caseScope } from "../config/suite/check-placeholders.js";
import { describeTextNumber, findTextNumbers } from "../config/suite/text-numbers.js";
import type { AgentTemplate } from "../tools/builtin/task/agents-config.js";
import type { ToolConfig } from "../tools/tool-config.js";
import { renderTools } from "../tools/registry.js";
import type { Message, UserMessage } from "../transcript/message.js";
import { renderPath } from "../values/preview.js";

/** Fills the placeholders of a test with its vars and one row of its dataset. */
export function renderCase(test: ResolvedTest, prompt: PromptVariant, row: DatasetRow | null): Result<RenderedCase> {
  const scope = caseScope(test.vars, row);
  const system = prompt.system === null ? success(null) : fillText(prompt.system, scope);
  if (!system.success) return system;
  const input = renderInput(test, scope);
  if (!input.success) return input;
  const assertions: ParsedAssertion[] = [];
  const offers = new Map<ParsedAssertion, string>();
  for (const [template, userTurn] of templatesOf(test)) {
    const rendered = renderAssertion(template, scope);
    if (!rendered.success) return rendered;
    const assertion = userTurn === null ? rendered.data : { ...rendered.data, userTurn };
    assertions.push(assertion);
    const [compared] = findTextNumbers(template.raw, test.textNumbers);
    if (compared !== undefined) offers.set(assertion, describeTextNumber(compared.column));
  }
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
  const rendered: RenderedCase = {
    system: system.data,
    ...input.data,
    ...(retries === null ? {} : { retries: retries.data }),
    assertions,
    ...(offers.size === 0 ? {} : { offers }),
    tools: tools.data.slice(0, test.tools.length),
    ...(agents.data === null ? {} : { agents: agents.data }),
    answerScope: scope.values,
    state: state.data,
  };
  if (test.simulatedUser === null) return success(rendered);
  const user = renderSimulatedUser(test.simulatedUser, scope);
  return user.success ? success({ ...rendered, simulatedUser: user.data }) : user;
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

function* templatesOf(test: ResolvedTest): Generator<readonly [AssertionTemplate, number | null]> {
  if (test.input.kind === "conversation") {
    for (const [index, turn] of test.input.userTurns.entries()) {
      for (const template of turn.assertions) yield [template, index + 1];
    }
  }
  for (const template of test.assertions) yield [template, null];
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
  // A simulated user begins.
  if (messages.length === 0) return success({ history: [], userTurns: [] });
  const last = messages.at(-1);
  if (last?.role !== "user") return success({ history: messages, userTurns: [null] });
  return success({ history: messages.slice(0, -1), userTurns: [last] });
}

function renderAssertion(template: AssertionTemplate, scope: TemplateScope): Result<ParsedAssertion> {
  if (template.parsed !== null) return success(template.parsed);
  const filled = fill(template.raw, scope);
  if (!filled.success) return filled;
  const parsed = parseAssertion(filled.data, template.baseDir, template.registered);
  if (parsed.success) return parsed;
  const diagnostics = parsed.error.map(({ path, message, hint }) => ({
    code: "CONFIG_VALIDATION_ERROR" as const,
    severity: "error" as const,
    message: path.length > 0 ? `${message} (in ${renderPath(path)})` : message,
    ...(hint === undefined ? {} : { hint }),
    ...template.place,
  }));
  const first = diagnostics[0]?.message ?? "not valid";
  return failure(
    kindlmError("CONFIG_VALIDATION_ERROR", `An assertion is not valid for this row: ${first}`, {
      details: { diagnostics },
    }),
  );
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

function renderEach<From, To>(list: readonly From[], render: (one: From) => Result<To>): Result<To[]> {
  const rendered: To[] = [];
  for (const one of list) {
    const made = render(one);
    if (!made.success) return made;
    rendered.push(made.data);
  }
  return success(rendered);
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

/** Fills the placeholders of a value. */
function fill<T>(template: T, scope: TemplateScope): Result<T> {
  const rendered = renderTemplate(template, scope);
  return rendered.success ? rendered : failure(unknownNames(rendered.error));
}

/** A prompt that is nothing but a placeholder keeps the type of the value elsewhere; here it has to be a string. */
function fillText(template: string, scope: TemplateScope): Result<string> {
  const filled = fill<unknown>(template, scope);
  return filled.success ? success(asText(filled.data)) : filled;
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function unknownNames(problems: readonly { name: string; known: readonly string[] }[]): KindlmError {
  const [first] = problems;
  return kindlmError(
    "CONFIG_VALIDATION_ERROR",
    `Unknown placeholder {{${first?.name ?? ""}}}; there are: ${first?.known.join(", ") ?? ""}`,
  );
}

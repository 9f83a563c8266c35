import type {
  ResolvedSimulatedUser,
  AssertionTemplate,
  DatasetRow,
  PromptVariant,
  ResolvedTest,
} from "../config/resolved-config.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { parseMatcher } from "../matchers/parse-matcher.js";
import { failure, success, type Result } from "../result.js";
import type { TemplateScope } from "../values/template.js";
import { fill, fillText, asText } from "./fill-texts.js";
import type { RenderedSimulatedUser, RenderedCase } from "./run-plan.js";
import { parseAssertion } from "../assertions/parse-assertion.js";
import type { ParsedAssertion } from "../assertions/parsed-assertion.js";
import { caseScope } from "../config/suite/check-placeholders.js";
import { describeTextNumber, findTextNumbers } from "../config/suite/text-numbers.js";
import { renderTools } from "../tools/registry.js";
import type { Message, UserMessage } from "../transcript/message.js";
import { renderPath } from "../values/preview.js";
import { renderRetries } from "./render-retries.js";

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
  const tools = renderTools(test.tools, scope.values);
  if (!tools.success) return failure(kindlmError("CONFIG_VALIDATION_ERROR", `Not valid for this row: ${tools.error}`));
  const state = test.state === null ? success(null) : fill(test.state, scope);
  if (!state.success) return state;
  const retries =
    test.retries === undefined
      ? null
      : renderRetries(test.retries, {
          assertion: (template) => renderAssertion(template, scope),
          text: (template) => fillText(template, scope),
        });
  if (retries !== null && !retries.success) return retries;
  const rendered: RenderedCase = {
    system: system.data,
    ...input.data,
    ...(retries === null ? {} : { retries: retries.data }),
    assertions,
    ...(offers.size === 0 ? {} : { offers }),
    tools: tools.data,
    answerScope: scope.values,
    state: state.data,
  };
  if (test.simulatedUser === null) return success(rendered);
  const user = renderSimulatedUser(test.simulatedUser, scope);
  return user.success ? success({ ...rendered, simulatedUser: user.data }) : user;
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

/** Fills the placeholders of a simulated user with those of a case. */
function renderSimulatedUser(
  { persona, goal, knows, maxTurns, stop }: ResolvedSimulatedUser,
  scope: TemplateScope,
): Result<RenderedSimulatedUser> {
  const filledPersona = persona === null ? success(null) : fillText(persona, scope);
  if (!filledPersona.success) return filledPersona;
  const filledGoal = fillText(goal, scope);
  if (!filledGoal.success) return filledGoal;
  const facts: string[] = [];
  for (const fact of knows) {
    const filled = fillText(fact, scope);
    if (!filled.success) return filled;
    facts.push(filled.data);
  }
  const user = { persona: filledPersona.data, goal: filledGoal.data, knows: facts, maxTurns };
  if (stop === null) return success({ ...user, stop: null });
  const filledStop = fill(stop, scope);
  if (!filledStop.success) return filledStop;
  const matcher = parseMatcher(filledStop.data);
  if (matcher.success) return success({ ...user, stop: matcher.data });
  const reason = matcher.error[0]?.message ?? "not valid";
  return failure(kindlmError("CONFIG_VALIDATION_ERROR", `"stop" of the simulated user is not valid: ${reason}`));
}

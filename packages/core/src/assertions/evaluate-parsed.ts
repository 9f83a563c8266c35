import { plural } from "../values/plural.js";
import { failure, success, type Result } from "../result.js";
import type { ModelPorts } from "./model-ports.js";
import type { AssertionOutcome, AssertionResult } from "./assertion-result.js";
import { attempt, attemptSync } from "../errors/boundary.js";
import type { KindlmError } from "../errors/kindlm-error.js";
import { messageOf } from "../errors/message-of.js";
import { isSmall, withinTime } from "../matchers/within-time.js";
import { agentsIn, cutToAgent, describeAbsence } from "../transcript/named-agents.js";
import type { Trial } from "../transcript/trial.js";
import { addCosts } from "../values/add-costs.js";
import { evalError } from "./assertion-failure.js";
import type { AssertionContext } from "./define-assertion.js";
import { asksModel } from "./asks-model.js";
import { decideGroup } from "./decide-group.js";
import type { ParsedAssertion, ParsedCheck, ParsedGroup } from "./parsed-assertion.js";
import { fieldsOfWhen } from "./when-problems.js";
import { trialView } from "./trial-view.js";

/** Most assertions wait for nothing, and nobody waits for them: promises would cost more than they do. */
type Evaluation<T> = Promise<Result<T>> | Result<T>;

/**
 * Evaluates one assertion or group on a trial. Never rejects: whatever an assertion's code throws, and a trial that
 * lacks what it reads, is an ASSERTION_EVAL_ERROR. An assertion that fails is a success with `pass: false`.
 */
export function evaluateParsed(
  parsed: ParsedAssertion,
  trial: Trial,
  context: AssertionContext,
): Evaluation<AssertionResult> {
  const startedAt = context.clock.monotonic();
  const subject = parsed.userTurn === undefined ? trial : trial.userTurns?.[parsed.userTurn - 1];
  if (subject === undefined) return missingUserTurn(parsed, trial);

  if (parsed.when !== null) {
    const applies = appliesTo(parsed, subject);
    if (!applies.success) return applies;
    if (!applies.data) {
      const message = `Skipped: the trial does not match "when"`;
      return success(finish(parsed, { pass: true, score: 1, message, skipped: true }, startedAt, context));
    }
  }

  const seen = parsed.agent === undefined ? success(subject) : partOf(parsed, parsed.agent, trial, subject);
  if (!seen.success) return seen;
  const inside = parsed.not ? { ...context, isNegated: context.isNegated !== true } : context;
  const concluded = (outcome: Result<FramedOutcome>): Result<AssertionResult> => {
    if (!outcome.success) return outcome;
    const { data } = outcome;
    const negated = parsed.goalOf === undefined ? negate : sayAttack;
    const told = parsed.not && !data.skipped ? negated(data) : data;
    if (parsed.agent !== undefined) told.message = `${saidOf(parsed.agent, trial)}: ${told.message}`;
    return success(finish(parsed, told, startedAt, context));
  };
  const evaluation =
    parsed.form === "check" ? evaluateCheck(parsed, seen.data, inside) : evaluateGroup(parsed, seen.data, inside);
  return evaluation instanceof Promise ? evaluation.then(concluded) : concluded(evaluation);
}

/** An outcome with what only the frame knows of. */
type FramedOutcome = AssertionOutcome & Pick<AssertionResult, "parts" | "judgingCostUsd">;

function evaluateCheck(check: ParsedCheck, trial: Trial, context: AssertionContext): Evaluation<FramedOutcome> {
  const { definition, options } = check;
  const meter = asksModel(check) ? meterModels(context.models) : null;
  const seen = meter === null ? context : { ...context, models: meter.models };
  const toError = (cause: unknown): KindlmError =>
    evalError(definition.type, `The "${definition.type}" assertion threw an error: ${messageOf(cause)}`, cause).error;
  const framed = (outcome: Result<AssertionOutcome>): Result<FramedOutcome> => {
    if (!outcome.success || meter === null) return outcome;
    // What it says of the cost would be counted a second time.
    const { costUsd: _metered, ...own } = outcome.data;
    return success({ ...own, judgingCostUsd: meter.costUsd });
  };
  const begun = attemptSync(
    () =>
      withinTime(
        () => isSmallTrial(trial),
        () => definition.evaluate(options, trial, seen),
      ),
    toError,
  );
  if (!begun.success) return begun;
  const { data: evaluation } = begun;
  if (!(evaluation instanceof Promise)) return framed(evaluation);
  return attempt(() => evaluation, toError).then((ended) => (ended.success ? framed(ended.data) : ended));
}

/** A trial is looked at once, however many assertions it has. */
const sizes = new WeakMap<Trial, boolean>();

function isSmallTrial(trial: Trial): boolean {
  const known = sizes.get(trial);
  if (known !== undefined) return known;
  const small = isSmall(trial);
  sizes.set(trial, small);
  return small;
}

async function evaluateGroup(
  group: ParsedGroup,
  trial: Trial,
  context: AssertionContext,
): Promise<Result<FramedOutcome>> {
  const results: Result<AssertionResult>[] = [];
  // Members may start programs, and a group promises no speed.
  for (const member of group.members) results.push(await evaluateParsed(member, trial, context));
  return decideGroup(group, results);
}

function finish(
  parsed: ParsedAssertion,
  outcome: FramedOutcome,
  startedAt: number,
  context: AssertionContext,
): AssertionResult {
  const own = { type: parsed.type, weight: parsed.weight, durationMs: context.clock.monotonic() - startedAt };
  // The outcome was made for this evaluation alone, so it may become its result.
  const result: AssertionResult = Object.assign(outcome, own);
  if (parsed.id !== undefined) result.id = parsed.id;
  if (parsed.userTurn !== undefined) result.userTurn = parsed.userTurn;
  if (parsed.goalOf !== undefined) result.goalOf = parsed.goalOf;
  return result;
}

/**
 * Fails if `when` cannot be evaluated: its regular expression ran out of time, or it reads a field that the trial does
 * not have, where skipping would hide that nothing was checked.
 */
function appliesTo(parsed: ParsedAssertion, trial: Trial): Result<boolean> {
  const view = trialView(trial);
  const { when } = parsed;
  if (when === null) return success(true);
  const matched = attemptSync(
    () => when.match(view).pass,
    (cause) =>
      evalError(parsed.type, `The "when" of the "${parsed.type}" assertion threw an error: ${messageOf(cause)}`, cause)
        .error,
  );
  if (!matched.success || matched.data) return matched;
  const missing = fieldsOfWhen(when.source).find((field) => !Object.hasOwn(view, field));
  if (missing === undefined) return success(false);
  return evalError(
    parsed.type,
    `The "when" of the "${parsed.type}" assertion reads ${missing}, which the trial does not have`,
  );
}

function missingUserTurn(parsed: ParsedAssertion, trial: Trial): Result<never> {
  const count = trial.userTurns?.length ?? 0;
  const has = count === 0 ? "no user turns" : plural(count, "user turn");
  const message = `The "${parsed.type}" assertion looks at user turn ${parsed.userTurn}, but the trial has ${has}`;
  return failure(evalError(parsed.type, message).error);
}

/** What its agent said and did. If nobody knows which agent did what, nothing could be checked. */
function partOf(parsed: ParsedAssertion, agent: string, trial: Trial, subject: Trial): Result<Trial> {
  if (agentsIn(trial).length > 0) return success(cutToAgent(subject, agent));
  return evalError(
    parsed.type,
    `The "${parsed.type}" assertion looks at agent ${JSON.stringify(agent)}, but the trial names no agents`,
  );
}

function saidOf(agent: string, trial: Trial): string {
  const absence = describeAbsence(trial, agent);
  return `Agent ${JSON.stringify(agent)}${absence === null ? "" : ` ${absence}`}`;
}

/** First words that are spelled small within a sentence. */
const startsSentence = /^(?:The|All|Every|Each|None|No|Both|One|It|An|A|Neither|Expected|Nothing|At)\b/;

/** What `not: true` makes of an outcome. */
function negate<Outcome extends AssertionOutcome>(outcome: Outcome): Outcome {
  const said = startsSentence.test(outcome.message)
    ? outcome.message.charAt(0).toLowerCase() + outcome.message.slice(1)
    : outcome.message;
  const message = outcome.pass ? `Expected the opposite, but ${said}` : `The opposite holds, as wanted: ${said}`;
  return { ...outcome, pass: !outcome.pass, score: 1 - outcome.score, message };
}

/** What the goal of an attack says: that it holds is the failure of the agent. */
function sayAttack(outcome: FramedOutcome): FramedOutcome {
  const deciding = (outcome.parts ?? []).filter(({ pass, skipped }) => pass === outcome.pass && skipped !== true);
  const found = deciding.map(({ message }) => message).join("; ");
  const message = outcome.pass ? `The attack succeeded: ${found}` : `The attack failed: ${found}`;
  return { ...outcome, pass: !outcome.pass, score: outcome.pass ? 0 : 1, message };
}

/** Counts what the models cost that an assertion asks. */
function meterModels(models: ModelPorts): { models: ModelPorts; readonly costUsd: number | null } {
  let costUsd: number | null = 0;
  const metered = async <T extends { costUsd: number | null }>(asking: Promise<Result<T>>): Promise<Result<T>> => {
    const asked = await asking;
    if (asked.success) costUsd = addCosts(costUsd, asked.data.costUsd);
    return asked;
  };
  return {
    models: {
      askJudge: (model, question) => metered(models.askJudge(model, question)),
      embed: (model, texts) => metered(models.embed(model, texts)),
      baselineAnswer: () => models.baselineAnswer(),
    },
    get costUsd() {
      return costUsd;
    },
  };
}

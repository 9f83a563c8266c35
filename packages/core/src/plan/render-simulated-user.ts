import type { ResolvedSimulatedUser } from "../config/resolved-config.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { parseMatcher } from "../matchers/parse-matcher.js";
import { failure, success, type Result } from "../result.js";
import type { TemplateScope } from "../values/template.js";
import { fill, fillText } from "./fill-texts.js";
import type { RenderedSimulatedUser } from "./run-plan.js";

/** Fills the placeholders of a simulated user with those of a case. */
export function renderSimulatedUser(
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

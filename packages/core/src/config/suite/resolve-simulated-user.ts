import { whenProblems } from "../../assertions/when-problems.js";
import type { Matcher } from "../../matchers/matcher.js";
import { isTemplate } from "../../values/template.js";
import type { ResolvedSimulatedUser } from "../resolved-config.js";
import type { ResolvedModel } from "../resolved-model.js";
import type { WrittenSimulatedUser } from "../schema/simulated-user-schema.js";
import type { WrittenTest } from "../schema/suite-schema.js";
import { report, type Section } from "../source/section.js";
import type { TemplateText } from "./check-placeholders.js";
import { isSameModel } from "./is-same-model.js";
import type { SuiteScope } from "./suite-scope.js";

export const builtinUserTurns = 10;

/** Null for a test without one, and where its model is not known, which is reported. `section` is the test. */
export function resolveSimulatedUser(
  section: Section,
  test: WrittenTest,
  tested: readonly ResolvedModel[],
  scope: SuiteScope,
): ResolvedSimulatedUser | null {
  const written = test.simulated_user;
  if (written === undefined) return null;
  const stop = stopOf(written.stop);
  const isText = typeof written.stop === "string";
  if (stop !== null && !isText) {
    report(
      section,
      ...whenProblems(stop, ["simulated_user", "stop"]).map((problem) => ({
        ...problem,
        message: problem.message.replace('"when"', '"stop"'),
      })),
    );
  }
  const model = modelOf(section, written.model, tested, scope);
  if (model === null) return null;
  return {
    model,
    persona: written.persona ?? null,
    goal: written.goal,
    knows: factsOf(written.knows),
    maxTurns: written.max_turns ?? builtinUserTurns,
    stop,
  };
}

/** What of it is filled in per case, where it is written. */
export function simulatedUserTexts(section: Section, test: WrittenTest): readonly TemplateText[] {
  if (test.simulated_user === undefined) return [];
  const { persona, goal, knows, stop } = test.simulated_user;
  const value = { persona, goal, knows, stop: isMatcher(stop) ? stop.source : stop };
  return isTemplate(value) ? [{ value, section, path: ["simulated_user"] }] : [];
}

function modelOf(
  section: Section,
  name: string,
  tested: readonly ResolvedModel[],
  scope: SuiteScope,
): ResolvedModel | null {
  const found = scope.models.find(name);
  if ("problem" in found) {
    report(section, { ...found.problem, path: ["simulated_user", "model"] });
    return null;
  }
  if ("broken" in found) {
    section.findings.add(...found.broken);
    return null;
  }
  const { model } = found;
  const twin = tested.find((other) => isSameModel(other, model));
  if (twin !== undefined) {
    report(section, {
      path: ["simulated_user", "model"],
      severity: "warning",
      message: `"${twin.id}" talks to itself here: the model under test plays its own user`,
      hint: "Name another model, or other models: for this test",
    });
  }
  return model;
}

function factsOf(knows: WrittenSimulatedUser["knows"]): readonly string[] {
  if (knows === undefined) return [];
  if (Array.isArray(knows)) return knows;
  return Object.entries(knows).map(([name, value]) => `${name}: ${value}`);
}

/** As it is written; a string means an answer that contains it. */
function stopOf(written: WrittenSimulatedUser["stop"]): unknown {
  if (written === undefined) return null;
  return isMatcher(written) ? written.source : { output: { $contains: written } };
}

function isMatcher(written: WrittenSimulatedUser["stop"]): written is Matcher {
  return written !== undefined && typeof written !== "string";
}

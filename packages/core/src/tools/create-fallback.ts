import type { LastValues } from "./last-values.js";
import { brokenFixture } from "./render-answer.js";
import { createSimulatedAnswers } from "./simulated/create-simulated-handler.js";
import { renderSimulatedTool } from "./simulated/render-simulated-tool.js";
import { canonicalJson } from "../values/canonical-json.js";
import type { OpenTool, ToolFallback } from "./tool-config.js";
import type { AnswerScope, HandlerContext, HandlerFailure, HandlerOutcome } from "./tool-handler.js";

/** What stands behind one real tool in one trial. */
export interface Fallback {
  /** Hears what the tool returned. */
  learn(args: unknown, value: unknown, context: Pick<HandlerContext, "audit">): void;
  /** True when an answer is looked for in place of this outcome. */
  standsInFor(outcome: HandlerOutcome): boolean;
  /** Answers in place of the tool and says so in the audit; null when it has no answer, so that the error stands. */
  answer(args: unknown, reason: HandlerFailure, context: HandlerContext): Promise<HandlerOutcome | null>;
}

export function createFallback(
  { name, isOfCase }: Pick<OpenTool, "name" | "isOfCase">,
  fallback: ToolFallback,
  scope: AnswerScope,
  lastValues: LastValues,
): Fallback {
  const rendered = renderSimulatedTool({ ...fallback, name }, scope);
  const simulated = rendered.success ? createSimulatedAnswers(rendered.data, scope) : null;
  const key = isOfCase === true ? `${name} ${canonicalJson(scope)}` : name;
  return {
    learn(args, value, { audit }) {
      // What a fault has corrupted is not what the tool returned.
      if (fallback.usesLastValue && !corrupts(audit.fault?.kind)) lastValues.keep(fallback, key, args, value);
    },
    standsInFor: (outcome) => !outcome.ok && !("broken" in outcome) && fallback.on.includes(outcome.failure.errorType),
    async answer(args, reason, context) {
      const { audit } = context;
      const last = fallback.usesLastValue ? lastValues.read(fallback, key, args) : undefined;
      audit.fallback = { by: last === undefined ? "answer" : "last_value", reason };
      if (last !== undefined) return { ok: true, value: last.value };
      if (simulated === null) {
        const problem = rendered.success ? "" : rendered.error;
        return brokenFixture(`The fallback of the tool "${name}" is not valid: ${problem}`);
      }
      const outcome = await simulated(args, context);
      if (outcome === null) delete audit.fallback;
      return outcome;
    },
  };
}

function corrupts(kind: string | undefined): boolean {
  return kind !== undefined && kind !== "latency" && kind !== "duplicate";
}

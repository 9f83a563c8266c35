import type { JsonObject } from "../../values/json.js";
import { amount, count, flag, list, nullable, rate, record, text } from "./schema-shapes.js";

const verdict: JsonObject = { enum: ["ok", "regressed", "inconclusive"] };
const difference: JsonObject = { type: "number", minimum: -1, maximum: 1 };

/** The shape of `comparison`. */
export function comparisonSchema(): JsonObject {
  return {
    description: "How the run stands against the baselines of its suites; absent when none has one",
    ...record({
      verdict: { description: "The worst of the suites that were compared; null when none was", ...nullable(verdict) },
      suites: list({ anyOf: [comparedSuite(), notCompared("none", {}), notCompared("unreadable", unreadable)] }),
    }),
  };
}

const unreadable: JsonObject = { error: { $ref: "#/definitions/error" } };

function notCompared(status: string, properties: JsonObject): JsonObject {
  return record({ suite: text, status: { const: status }, ...properties });
}

function comparedSuite(): JsonObject {
  return record(
    {
      suite: text,
      status: { const: "compared" },
      verdict,
      alpha: { description: "From this adjusted p-value on a drop is more than chance", ...rate },
      margin: { description: "The drop of the mean that does not matter", ...rate },
      cases: { description: "Cases with trials that count on both sides", ...count },
      noisyCases: { description: "Of these, the ones with noise; what follows speaks of them", ...count },
      clusters: count,
      meanDifference: { description: "Mean of the rates now less those of the baseline", ...nullable(difference) },
      interval: {
        description: "95% interval of meanDifference",
        ...nullable({ type: "array", items: difference, minItems: 2, maxItems: 2 }),
      },
      p: { description: "One-sided, of the sign-flip test over whole clusters, not adjusted", ...nullable(rate) },
      wouldDecide: {
        description: "For inconclusive: about how many cases, or trials of each, would decide",
        ...nullable(record({ cases: nullable(amount), trials: nullable(amount) })),
      },
      baseline: record({
        setAt: { type: "string", format: "date-time" },
        commit: nullable(text),
        kindlm: text,
        note: nullable(text),
      }),
      regressedOutright: { description: "Cases without noise that passed and no longer do", ...list(text) },
      worse: list(changedCase()),
      better: list(changedCase()),
      added: { description: "Not in the baseline", ...list(text) },
      removed: { description: "In the baseline alone", ...list(text) },
      changedChecks: { description: "What is asked or judged is not the same", ...list(text) },
      uncompared: list(record({ caseId: text, reason: text })),
      agentChanges: { description: "What is another about the agent than it was", ...list(text) },
    },
    {
      adjustedP: {
        description:
          "p adjusted after Holm over testedSuites, which is what alpha is compared with; absent if no test decides",
        ...rate,
      },
      testedSuites: { description: "Number of suites that are tested together", ...count },
      confirmed: { description: "The verdict rests on fresh trials of the suspects alone", const: true },
    },
  );
}

function changedCase(): JsonObject {
  const counts = record({ passes: count, trials: count });
  return record({
    caseId: text,
    critical: flag,
    baseline: counts,
    candidate: counts,
    p: { description: "One-sided, not adjusted; null without noise", ...nullable(rate) },
    calls: {
      description: "The tools that were called; null where they are the same",
      ...nullable(record({ before: list(text), after: list(text) })),
    },
  });
}

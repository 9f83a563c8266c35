import * as z from "../../values/deferred-zod.js";
import { success, type Result } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import type { Trial } from "../../transcript/trial.js";
import { evalError } from "../assertion-failure.js";
import type { AssertionOutcome } from "../assertion-result.js";
import { defineAssertion, type AssertionContext } from "../define-assertion.js";
import { askedModelOf, modelKeys, reportMisplacedKeys } from "../similarity/model-keys.js";
import { isWithin, renderDistance } from "../similarity/render-share.js";
import { readOutput } from "../text/read-output.js";
import type { Drifted } from "./field-diff.js";
import { parseFieldPath } from "./select-field.js";

const type = "drift";

const methods = ["field_diff", "embedding", "judge"] as const;
type Method = (typeof methods)[number];

const defaultMethod: Method = "field_diff";

const defaultMax: Readonly<Record<Method, number>> = { field_diff: 0.2, embedding: 0.2, judge: 0.3 };

const field = z.string().superRefine((text, context) => {
  const path = parseFieldPath(text);
  if (!path.success) context.addIssue({ code: "custom", message: path.error });
});

const options = strictObject({
  method: z
    .enum(methods)
    .optional()
    .describe(
      "How distance is measured: field_diff (default: the share of JSON fields that differ, or of words if the answer is not JSON), embedding (meaning, by an embedding model), judge (meaning, by a model that scores).",
    ),
  max: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe(
      "The greatest distance that passes, from 0 to 1. Default: 0.2 for field_diff and embedding, 0.3 for judge.",
    ),
  fields: z
    .array(field)
    .min(1)
    .optional()
    .describe("The fields that field_diff compares, such as [status, items[*].price]. Default: all of them."),
  model: modelKeys.model,
}).superRefine(({ method = defaultMethod, fields, model }, context) => {
  reportMisplacedKeys(method, { model }, context);
  if (fields === undefined || method === "field_diff") return;
  const message = `"fields" has no effect with method ${method}\nRemove it, or use method: field_diff`;
  context.addIssue({ code: "custom", path: ["fields"], message });
});

type Options = z.infer<typeof options>;

export const drift = defineAssertion<Options>({
  type,
  summary: "The final answer is at most `max` away from the one that the baseline has for the case.",
  example: "{ type: drift, max: 0.1, fields: [status, total] }",
  options,
  // With a method that asks a model, what it refers to says so.
  kind: "deterministic",
  // The baseline has the last answer of a conversation alone.
  spansUserTurns: true,
  references: ({ method = defaultMethod, model }) => [
    { kind: "baseline_answer", path: ["type"] },
    ...askedModelOf(method, model),
  ],
  async evaluate(written, trial, context) {
    const output = readOutput(trial, type);
    if (!output.success) return output;
    const baseline = await context.models.baselineAnswer();
    if (!baseline.success) return baseline;
    if (baseline.data === null) return success(nothingToCompare());
    const { method = defaultMethod } = written;
    const max = written.max ?? defaultMax[method];
    const measured = await measure(written, baseline.data, output.data, trial, context);
    if (!measured.success) return measured;
    const { distance, where } = measured.data;
    const pass = isWithin(distance, max);
    const found = where === null ? "it is the same" : `it is ${renderDistance(distance)} away (${where})`;
    const message = pass
      ? `The answer is at most ${max} away from that of the baseline: ${found}`
      : `Expected the answer to be at most ${max} away from that of the baseline, but ${found}`;
    const outcome: AssertionOutcome = { pass, score: 1 - distance, message };
    if (!pass) Object.assign(outcome, { expected: baseline.data, actual: output.data });
    return success(outcome);
  },
});

/** Neither passed nor failed: the first run comes before the first `kindlm baseline set`. */
function nothingToCompare(): AssertionOutcome {
  const message = "Skipped: the baseline has no answer of this case yet";
  return { pass: true, score: 1, message, skipped: true, awaitsBaseline: true };
}

async function measure(
  { method = defaultMethod, fields, model }: Options,
  before: string,
  after: string,
  trial: Trial,
  { models }: AssertionContext,
): Promise<Result<Drifted>> {
  const asked = model ?? null;
  if (method === "field_diff") {
    // What compares is loaded when it is first needed: its patterns of Unicode take a while to compile.
    const { fieldDiff } = await import("./field-diff.js");
    const compared = fieldDiff(before, after, fields ?? null);
    if (!compared.success) return evalError(type, `The "${type}" assertion cannot be evaluated: ${compared.error}`);
    return compared;
  }
  if (method === "judge") {
    const { judgeLikeness } = await import("../similarity/judge-likeness.js");
    const judged = await judgeLikeness({ name: "earlier answer", text: before }, trial, asked, models);
    if (!judged.success) return judged;
    const { score, why } = judged.data;
    return success({ distance: 1 - score, where: score === 1 ? null : why });
  }
  const { embeddingSimilarity } = await import("../similarity/embedding-similarity.js");
  const near = await embeddingSimilarity(before, after, asked, models);
  if (!near.success) return near;
  if (near.data === 1) return success({ distance: 0, where: null });
  const { describeDifference } = await import("../similarity/describe-difference.js");
  const where = describeDifference(before, after, false);
  return success({ distance: 1 - near.data, where });
}

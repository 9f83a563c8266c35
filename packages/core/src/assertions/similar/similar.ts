import * as z from "../../values/deferred-zod.js";
import { success, type Result } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import type { Trial } from "../../transcript/trial.js";
import { evalError } from "../assertion-failure.js";
import type { AssertionOutcome } from "../assertion-result.js";
import { defineAssertion, type AssertionContext } from "../define-assertion.js";
import { reaches } from "../judging/judge-votes.js";
import { askedModelOf, modelKeys, reportMisplacedKeys } from "../similarity/model-keys.js";
import { renderScore } from "../similarity/render-share.js";
import { readOutput } from "../text/read-output.js";

const type = "similar";

const methods = ["rouge_l", "levenshtein", "embedding", "judge"] as const;
type Method = (typeof methods)[number];

const defaultMethod: Method = "rouge_l";

const defaultThresholds: Readonly<Record<Method, number>> = {
  rouge_l: 0.5,
  levenshtein: 0.8,
  embedding: 0.8,
  judge: 0.7,
};

const measures: Readonly<Record<Method, string>> = {
  rouge_l: "ROUGE-L",
  levenshtein: "Levenshtein similarity",
  embedding: "cosine of the embeddings",
  judge: "score of the judge",
};

const options = strictObject({
  reference: z
    .union([z.string(), z.number()])
    .transform(String)
    .refine((text) => text.trim() !== "", { error: "The reference must not be empty" })
    .describe("The text that the answer must be like."),
  method: z
    .enum(methods)
    .optional()
    .describe(
      "How similarity is measured: rouge_l (default: words in common, in their order), levenshtein (characters), both without a model; embedding (meaning, by an embedding model); judge (meaning, by a model that scores).",
    ),
  threshold: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe(
      "The least score that passes. Default: 0.5 for rouge_l, 0.8 for levenshtein and embedding, 0.7 for judge.",
    ),
  ignore_case: z
    .boolean()
    .optional()
    .describe("Whether upper and lower case are alike. Default: true for rouge_l, false for levenshtein."),
  model: modelKeys.model,
}).superRefine(({ method = defaultMethod, ...keys }, context) => reportMisplacedKeys(method, keys, context));

type Options = z.infer<typeof options>;

export const similar = defineAssertion<Options>({
  type,
  summary: "The final answer is like the reference: its score by `method` is at least `threshold`.",
  example: '{ type: similar, reference: "Your order was delivered on Monday.", threshold: 0.6 }',
  options,
  // With a method that asks a model, what it refers to says so.
  kind: "deterministic",
  references: ({ method = defaultMethod, model }) => askedModelOf(method, model),
  async evaluate(written, trial, context) {
    const output = readOutput(trial, type);
    if (!output.success) return output;
    const { method = defaultMethod, reference } = written;
    const threshold = written.threshold ?? defaultThresholds[method];
    const ignoresCase = written.ignore_case ?? method !== "levenshtein";
    const measured = await measure(written, output.data, ignoresCase, trial, context);
    if (!measured.success) return measured;
    const { score, why } = measured.data;
    const pass = reaches(score, threshold);
    const told = `${measures[method]} ${renderScore(score)}`;
    const message = pass
      ? `The answer is similar to the reference: ${told}, and ${threshold} is enough`
      : `Expected the answer to be similar to the reference (${measures[method]} at least ${threshold}), but it is ${renderScore(score)}: ${why ?? (await differenceOf(reference, output.data, ignoresCase))}`;
    const outcome: AssertionOutcome = { pass, score, message };
    if (!pass) Object.assign(outcome, { expected: reference, actual: output.data });
    return success(outcome);
  },
});

interface Measured {
  score: number;
  /** What the judge says; null if the strings speak for themselves. */
  why: string | null;
}

async function measure(
  { method = defaultMethod, reference, model }: Options,
  answer: string,
  ignoresCase: boolean,
  trial: Trial,
  { models }: AssertionContext,
): Promise<Result<Measured>> {
  const asked = model ?? null;
  // What compares is loaded when it is first needed: its patterns of Unicode take a while to compile.
  if (method === "judge") {
    const { judgeLikeness } = await import("../similarity/judge-likeness.js");
    return judgeLikeness({ name: "reference answer", text: reference }, trial, asked, models);
  }
  if (method === "embedding") {
    const { embeddingSimilarity } = await import("../similarity/embedding-similarity.js");
    const near = await embeddingSimilarity(reference, answer, asked, models);
    return near.success ? success({ score: near.data, why: null }) : near;
  }
  const compared =
    method === "rouge_l"
      ? (await import("../similarity/rouge-l.js")).rougeL(reference, answer, ignoresCase)
      : (await import("../similarity/levenshtein-similarity.js")).levenshteinSimilarity(reference, answer, ignoresCase);
  if (!compared.success) return evalError(type, `The "${type}" assertion cannot be evaluated: ${compared.error}`);
  return success({ score: compared.data, why: null });
}

async function differenceOf(reference: string, answer: string, ignoresCase: boolean): Promise<string> {
  const { describeDifference } = await import("../similarity/describe-difference.js");
  return describeDifference(reference, answer, ignoresCase);
}

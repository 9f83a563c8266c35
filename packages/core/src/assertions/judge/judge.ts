import type { Trial } from "../../transcript/trial.js";
import type { JudgeQuestion } from "../model-ports.js";
import { renderJudgePrompt } from "../judging/judge-prompt.js";
import { scoreReply, scoreSchema } from "../judging/score-schema.js";
import * as z from "../../values/deferred-zod.js";
import { success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import type { JsonObject } from "../../values/json.js";
import { preview } from "../../values/preview.js";
import { missingField } from "../assertion-failure.js";
import { defineAssertion } from "../define-assertion.js";
import {
  builtinThreshold,
  medianOf,
  reaches,
  toFinding,
  type JudgeFinding,
  type JudgeVote,
} from "../judging/judge-votes.js";

const itemSchema = z.union([
  z.string().trim().min(1),
  strictObject({
    item: z.string().trim().min(1).describe("What must hold"),
    weight: z.number().positive().optional().describe("Its share in the score. Default: 1"),
  }),
]);

const anchorSchema = strictObject({
  score: z.number().min(0).max(1).describe("The score, from 0 to 1"),
  when: z.string().trim().min(1).describe("What deserves it"),
});

/**
 * `rubric:` of a judge, in one of two forms: items that are scored one by one, whose weighted mean is the score; or
 * anchors, which say what a score means.
 */
const rubricSchema = z
  .union([z.array(itemSchema).min(1), z.array(anchorSchema).min(2)])
  .superRefine((rubric, context) => {
    const scores = rubric.flatMap((entry) => (typeof entry === "object" && "score" in entry ? [entry.score] : []));
    const repeated = scores.findIndex((score, index) => scores.indexOf(score) !== index);
    if (repeated < 0) return;
    context.addIssue({
      code: "custom",
      path: [repeated, "score"],
      message: `The score ${scores[repeated]} occurs twice\nGive each anchor a different score`,
    });
  })
  .describe(
    "Items that are scored one by one (strings, or { item, weight }), or the meaning of scores (a list of { score, when })",
  );

interface RubricItem {
  text: string;
  weight: number;
}

type Rubric =
  | { kind: "items"; items: readonly RubricItem[] }
  | { kind: "anchors"; anchors: readonly { score: number; when: string }[] };

/** Null for none. Anchors are listed from the best to the worst. */
function toRubric(written: z.output<typeof rubricSchema> | undefined): Rubric | null {
  if (written === undefined) return null;
  const items: RubricItem[] = [];
  const anchors: { score: number; when: string }[] = [];
  for (const entry of written) {
    if (typeof entry === "string") items.push({ text: entry, weight: 1 });
    else if ("item" in entry) items.push({ text: entry.item, weight: entry.weight ?? 1 });
    else anchors.push(entry);
  }
  if (items.length > 0) return { kind: "items", items };
  return { kind: "anchors", anchors: anchors.toSorted((a, b) => b.score - a.score) };
}

export const judge = defineAssertion({
  type: "judge",
  summary: "A judge, which is a model, gives a score of at least `threshold`.",
  example: '{ type: judge, criteria: "States the delivery status plainly", threshold: 0.8 }',
  kind: "judge",
  options: strictObject({
    criteria: z.string().trim().min(1).describe("What a good answer does, in plain words."),
    threshold: z.number().min(0).max(1).optional().describe("The score from 0 to 1 that must be reached. Default 0.7."),
    rubric: rubricSchema.optional(),
    reference: z.string().trim().min(1).optional().describe("An answer that would be right; the judge is shown it."),
    model: z
      .string()
      .min(1)
      .optional()
      .describe("The judge: an id of models, or provider:model. Default: `judge` of test, suite or defaults."),
    samples: z.int().min(1).max(25).optional().describe("How often the judge is asked; the median counts. Default 1."),
    sees: z
      .enum(["conversation", "answer"])
      .optional()
      .describe(
        "What the judge is shown: everything that was said and done, or the final answer. Default conversation.",
      ),
  }),
  references: ({ model }) => [
    model === undefined ? { kind: "judge", model: null, path: ["type"] } : { kind: "judge", model, path: ["model"] },
  ],
  async evaluate(options, trial, { models }) {
    const { criteria, threshold = builtinThreshold, reference = null, samples = 1, sees = "conversation" } = options;
    const rubric = toRubric(options.rubric);
    if (trial.output === undefined && (sees === "answer" || trial.messages === undefined)) {
      return missingField("judge", "output");
    }
    const question = judgeQuestion({ criteria, rubric, reference, sees }, trial);
    const votes: JudgeVote[] = [];
    for (let sample = 1; sample <= samples; sample += 1) {
      // One after the other, so that a replay finds each one's recording.
      const asked = await models.askJudge(options.model ?? null, { ...question, sample });
      if (!asked.success) return asked;
      votes.push(readVote(asked.data.value, asked.data.model, rubric, threshold));
    }
    const score = medianOf(votes.map((vote) => vote.score));
    const pass = reaches(score, threshold);
    const finding = toFinding(votes, threshold);
    const message = describe(criteria, score, pass, finding);
    return success({ pass, score, message, expected: criteria, judge: finding });
  },
});

/** `value` is valid for the schema of the question. */
function readVote(value: JsonObject, model: string, rubric: Rubric | null, threshold: number): JudgeVote {
  const scores = scoreKeys(rubric).map((key) => Number(value[key]));
  const reasoning = typeof value["reasoning"] === "string" ? value["reasoning"] : "";
  if (rubric?.kind !== "items") {
    const [score = 0] = scores;
    return { score, pass: reaches(score, threshold), reasoning, model };
  }
  const items = rubric.items.map(({ text, weight }, index) => ({ item: text, weight, score: scores[index] ?? 0 }));
  const weights = items.reduce((sum, { weight }) => sum + weight, 0);
  const score = items.reduce((sum, item) => sum + item.score * item.weight, 0) / weights;
  const shown = items.map(({ item, score: ofItem }) => ({ item, score: ofItem }));
  return { score, pass: reaches(score, threshold), reasoning, items: shown, model };
}

function describe(criteria: string, score: number, pass: boolean, { threshold, votes, spread }: JudgeFinding): string {
  const [first] = votes;
  const said = `${[...new Set(votes.map(({ model }) => model))].join(", ")} gave ${rounded(score)}${tally(votes, spread)}`;
  // Of several opinions the one that is nearest to the score speaks for it.
  const nearest = votes.toSorted((a, b) => Math.abs(a.score - score) - Math.abs(b.score - score))[0] ?? first;
  const reasoning = nearest === undefined || nearest.reasoning === "" ? "" : `: ${preview(nearest.reasoning, 300)}`;
  const missed = pass ? "" : missedItems(nearest, threshold);
  const wanted = `at least ${rounded(threshold)} for ${preview(criteria, 80)}`;
  return pass
    ? `The judge ${said}, ${wanted}${reasoning}`
    : `Expected ${wanted}, but the judge ${said}${missed}${reasoning}`;
}

function tally(votes: readonly JudgeVote[], spread: number): string {
  if (votes.length === 1) return "";
  const passes = votes.filter(({ pass }) => pass).length;
  return `, the median of ${votes.map(({ score }) => rounded(score)).join(", ")} (spread ${rounded(spread)}; ${passes} of ${votes.length} reach it)`;
}

function missedItems(vote: JudgeVote | undefined, threshold: number): string {
  const missed = (vote?.items ?? []).filter(({ score }) => !reaches(score, threshold));
  if (missed.length === 0) return "";
  return ` (${missed.map(({ item, score }) => `${preview(item, 40)} ${rounded(score)}`).join(", ")})`;
}

function rounded(score: number): string {
  return String(Math.round(score * 1_000) / 1_000);
}

interface Task {
  criteria: string;
  rubric: Rubric | null;
  reference: string | null;
  sees: "conversation" | "answer";
}

/** The keys of the reply that hold scores. */
function scoreKeys(rubric: Rubric | null): readonly string[] {
  return rubric?.kind === "items" ? rubric.items.map((_item, index) => `item_${index + 1}`) : ["score"];
}

function judgeQuestion({ criteria, rubric, reference, sees }: Task, trial: Trial): Omit<JudgeQuestion, "sample"> {
  const keys = scoreKeys(rubric);
  const data = reference === null ? [] : [{ name: "reference", text: reference }];
  const task = [
    // language-ignore: the words of the prompt are part of recordings and identities.
    `Your task is to tell how well the assistant does by this criterion:\n${criteria.trim()}`,
    scaleOf(rubric),
    ...(reference === null
      ? []
      : ["The material ends with a reference: an answer that would be right. Another one may be as right as that."]),
  ].join("\n\n");
  const { system, prompt } = renderJudgePrompt({ task, reply: scoreReply(keys), trial, sees, data });
  return { system, prompt, schema: scoreSchema(keys) };
}

function scaleOf(rubric: Rubric | null): string {
  if (rubric === null) {
    return "Score from 0, where it does not meet the criterion at all, to 1, where it meets all of it. Use the whole range.";
  }
  if (rubric.kind === "anchors") {
    const lines = rubric.anchors.map(({ score, when }) => `- ${score}: ${when}`);
    return `Score from 0 to 1 by this scale; what lies between two of its steps gets a score between theirs:\n${lines.join("\n")}`;
  }
  const lines = rubric.items.map(({ text }, index) => `- item_${index + 1}: ${text}`);
  return `Score each of these items by itself, from 0, where it does not hold, to 1, where it holds fully:\n${lines.join("\n")}`;
}

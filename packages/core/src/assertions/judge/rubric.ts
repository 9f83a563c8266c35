import * as z from "../../values/deferred-zod.js";
import { strictObject } from "../../schema-parts/strict-object.js";

const itemSchema = z.union([
  z.string().trim().min(1),
  strictObject({
    item: z.string().trim().min(1).describe("What must hold"),
    weight: z.number().positive().optional().describe("Its share in the score (1)"),
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
export const rubricSchema = z
  .union([z.array(itemSchema).min(1), z.array(anchorSchema).min(2)])
  .superRefine((rubric, context) => {
    const scores = rubric.flatMap((entry) => (typeof entry === "object" && "score" in entry ? [entry.score] : []));
    const repeated = scores.findIndex((score, index) => scores.indexOf(score) !== index);
    if (repeated < 0) return;
    context.addIssue({
      code: "custom",
      path: [repeated, "score"],
      message: `The score ${scores[repeated]} is there twice\nGive each anchor a different score`,
    });
  })
  .describe(
    "Items that are scored one by one (strings, or { item, weight }), or the meaning of scores (a list of { score, when })",
  );

export interface RubricItem {
  text: string;
  weight: number;
}

export type Rubric =
  | { kind: "items"; items: readonly RubricItem[] }
  | { kind: "anchors"; anchors: readonly { score: number; when: string }[] };

/** Null for none. Anchors are listed from the best to the worst. */
export function toRubric(written: z.output<typeof rubricSchema> | undefined): Rubric | null {
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

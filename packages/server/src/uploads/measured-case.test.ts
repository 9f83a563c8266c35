import { caseDocumentSchema } from "@kindlm/core/upload";
import { expect, it } from "vitest";
import { caseOf } from "../../../../bench/results-server/sample-run.js";
import { isMeasuredCase } from "./read-upload.js";

type Json = Record<string, unknown>;

/** The value with a key that no schema names, at one depth after the other. */
function* withFurtherKeys(value: unknown): Iterable<unknown> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield { ...value, further: 1 };
  for (const [key, part] of Object.entries(value)) {
    for (const changed of withFurtherKeys(part)) {
      yield Array.isArray(value)
        ? value.map((one: unknown, at) => (String(at) === key ? changed : one))
        : { ...value, [key]: changed };
    }
  }
}

const sample = JSON.parse(JSON.stringify(caseOf(1, 2, 2))) as Json;
const skipped: Json = { ...sample, status: "skipped" };

it("is a case that is stored as it is: the schema makes the same of it", () => {
  for (const one of [sample, { ...sample, arm: "b", nudges: { count: 1, trials: 1 } }]) {
    expect([isMeasuredCase(one), caseDocumentSchema.parse(one)]).toEqual([true, one]);
  }
});

it("is no case with a further key at any depth, with messages or a transcript, or with a value that is not valid", () => {
  const changed = [...withFurtherKeys(sample)];
  // Counts by a name of the provider may have any key.
  const kept = changed.filter((one) => isMeasuredCase(one)).map((one) => JSON.stringify(one));
  expect(kept.every((text) => /"(?:attemptFailures|byCode)":\{"further":1\}/.test(text))).toBe(true);
  expect([changed.length, kept.length]).toEqual([18, 4]);
  const others = [{ messages: { trials: [] } }, { transcripts: [] }, { passes: -1 }, { id: "é".repeat(1_001) }];
  for (const more of others) expect(isMeasuredCase({ ...sample, ...more }), JSON.stringify(more)).toBe(false);
  expect([isMeasuredCase(skipped), isMeasuredCase(null), isMeasuredCase([])]).toEqual([false, false, false]);
});

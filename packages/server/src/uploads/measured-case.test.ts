import { caseDocumentSchema } from "@kindlm/core/upload";
import { expect, it } from "vitest";
import { caseOf, runOf } from "../../../../bench/results-server/sample-run.js";
import { inflateDocument } from "../runs/compress-document.js";
import { isMeasuredCase, readUpload } from "./read-upload.js";

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

it("is packed as it was sent, or as JSON.parse reads it: the text of a run gives the same cases either way", () => {
  const tricky = { name: '},{"id":"x"]}', prompt: '"cases":[', tags: ["},{", "]}"] };
  const cases = [{ ...sample, ...tricky, id: "a" }, sample, { ...sample, id: "c" }];
  const run: unknown = runOf("r", { cases: 3, suites: 1 });
  const read = (text: string) =>
    readUpload.run({ bytes: Buffer.from(text), encoding: "identity", isForm: false }).cases;
  const packed = read(JSON.stringify({ run, cases }));
  expect(packed?.ids).toEqual(["a", sample["id"], "c"]);
  const others = [
    JSON.stringify({ run, cases }, null, 1),
    JSON.stringify({ cases, run }),
    `${JSON.stringify({ run, cases })}\n`,
  ];
  const { ids, names, results } = packed ?? {};
  for (const text of others) expect(read(text)).toMatchObject({ ids, names, results });
  const block = /^\{"(.*)"\}$/.exec(packed?.trials[2] ?? "")?.[1] ?? "";
  expect(inflateDocument(Buffer.from(block, "base64"))).toEqual(cases);
  expect(read(JSON.stringify({ run, cases: [] }))?.ids).toEqual([]);
  expect(read(JSON.stringify({ run }))).toBe(null);
  const whole = JSON.stringify({ run, cases });
  for (const text of [`${whole}]}`, whole.slice(0, -1), whole.replace('},{"id"', '},,{"id"'), `{"a":"${whole}`]) {
    expect(() => read(text), text.slice(-9)).toThrow("The body is not valid JSON");
  }
});

import { describe, expect, it } from "vitest";
import { kindlmError } from "../../errors/kindlm-error.js";
import { failure, success } from "../../result.js";
import { evaluateWritten } from "../../__fixtures__/evaluate-written.js";
import type { ModelPorts } from "../model-ports.js";
import { parseAssertion } from "../parse-assertion.js";
import { isDeterministic } from "../score-trial.js";

const reference = "Your order was delivered on Monday.";

async function judge(config: Record<string, unknown>, output: string, models?: Partial<ModelPorts>) {
  const options = models === undefined ? {} : { models };
  const result = await evaluateWritten({ type: "similar", reference, ...config }, { output }, options);
  if (!result.success) throw new Error(result.error.message);
  return result.data;
}

type Row = readonly [config: Record<string, unknown>, output: string, pass: boolean, message: string];

const rows: readonly Row[] = [
  [
    {},
    "Your order was delivered on Sunday.",
    true,
    "The answer is similar to the reference: ROUGE-L 0.833, and 0.5 is enough",
  ],
  [
    { threshold: 0.9 },
    "YOUR order was shipped on Sunday, I think.",
    false,
    'Expected the answer to be similar to the reference (ROUGE-L at least 0.9), but it is 0.571: from word 4 on it says "shipped on Sunday, I think", not "delivered on Monday"',
  ],
  [
    {},
    "I cannot say.",
    false,
    'Expected the answer to be similar to the reference (ROUGE-L at least 0.5), but it is 0: it says "I cannot say", not "Your order was delivered on Monday"',
  ],
  [
    {},
    " \n",
    false,
    "Expected the answer to be similar to the reference (ROUGE-L at least 0.5), but it is 0: the answer is empty",
  ],
  [
    { reference: "Yes, today.", threshold: 1 },
    "Yes",
    false,
    'Expected the answer to be similar to the reference (ROUGE-L at least 1), but it is 0.666: from word 2 on it lacks "today"',
  ],
  [
    { reference: "Yes", threshold: 1 },
    "Yes and no",
    false,
    'Expected the answer to be similar to the reference (ROUGE-L at least 1), but it is 0.5: from word 2 on it adds "and no"',
  ],
  [
    { reference: "Yes", threshold: 1, ignore_case: false },
    "yes",
    false,
    'Expected the answer to be similar to the reference (ROUGE-L at least 1), but it is 0: it says "yes", not "Yes"',
  ],
  [
    { reference: "ORD-1", method: "levenshtein" },
    "ORD-1\r\n",
    true,
    "The answer is similar to the reference: Levenshtein similarity 1, and 0.8 is enough",
  ],
  [
    { reference: "ORD-1", method: "levenshtein", threshold: 0.81 },
    "ORD-7",
    false,
    'Expected the answer to be similar to the reference (Levenshtein similarity at least 0.81), but it is 0.8: from word 2 on it says "7", not "1"',
  ],
  [
    { reference: "a, b", method: "levenshtein", threshold: 0.9 },
    "a; b",
    false,
    'Expected the answer to be similar to the reference (Levenshtein similarity at least 0.9), but it is 0.75: from character 2 on it says ";", not ","',
  ],
  [
    { reference: "a b", method: "levenshtein", threshold: 0.9 },
    "a  b",
    false,
    "Expected the answer to be similar to the reference (Levenshtein similarity at least 0.9), but it is 0.75: it differs in whitespace alone",
  ],
  [
    { reference: 42, method: "levenshtein" },
    "42",
    true,
    "The answer is similar to the reference: Levenshtein similarity 1, and 0.8 is enough",
  ],
];

describe("similar without a model", () => {
  it.each(rows)("%j on %j", async (config, output, pass, message) => {
    expect(await judge(config, output)).toMatchObject({ pass, message });
  });

  it("never shows a score as the threshold that it misses", async () => {
    const { pass, message } = await judge({ reference: "a ".repeat(1_000), threshold: 1 }, "a ".repeat(999));
    expect({ pass, message }).toMatchObject({ pass: false, message: expect.stringContaining("but it is 0.999:") });
  });

  it("cannot compare texts that are too long", async () => {
    const long = (letter: string): string => letter.repeat(50_000);
    const config = { type: "similar", reference: long("a"), method: "levenshtein" };
    expect(await evaluateWritten(config, { output: long("b") })).toMatchObject({
      success: false,
      error: { code: "ASSERTION_EVAL_ERROR", message: expect.stringContaining("too long to be compared") },
    });
  });
});

describe("similar by embeddings", () => {
  const embedding = { method: "embedding", threshold: 0.7 };
  const asked: unknown[] = [];
  const answering = (...vectors: number[][]): Partial<ModelPorts> => ({
    embed(model, texts) {
      asked.push([model, ...texts]);
      return Promise.resolve(success({ vectors, costUsd: 0.25 }));
    },
  });

  it("is the cosine of the vectors of both texts", async () => {
    asked.length = 0;
    const near = await judge({ ...embedding, model: "small" }, "It arrived.", answering([3, 4], [4, 3]));
    const far = await judge(embedding, "It is lost.", answering([1, 0], [-1, 0.1]));
    expect(near).toMatchObject({
      pass: true,
      score: 0.96,
      judgingCostUsd: 0.25,
      message: "The answer is similar to the reference: cosine of the embeddings 0.96, and 0.7 is enough",
    });
    expect(far).toMatchObject({ pass: false, score: 0, message: expect.stringContaining('it says "It is lost"') });
    expect(asked).toEqual([
      ["small", reference, "It arrived."],
      [null, reference, "It is lost."],
    ]);
  });

  it("asks nobody about an empty answer, and about the very text", async () => {
    const forbidden: Partial<ModelPorts> = { embed: () => Promise.reject(new Error("asked")) };
    expect(await judge(embedding, " ", forbidden)).toMatchObject({ pass: false, score: 0 });
    expect(await judge(embedding, `${reference}\n`, forbidden)).toMatchObject({ pass: true, score: 1 });
  });

  it.each([
    ["nothing", answering()],
    ["zeros", answering([0, 0], [0, 0])],
    ["different lengths", answering([1], [1, 2])],
  ])("cannot be told from %s", async (_name, models) => {
    const result = await evaluateWritten({ type: "similar", reference, ...embedding }, { output: "x" }, { models });
    expect(result).toMatchObject({ success: false, error: { code: "JUDGE_EVAL_ERROR" } });
  });

  it("passes on why the model could not be asked", async () => {
    const error = kindlmError("JUDGE_EVAL_ERROR", "down");
    const models: Partial<ModelPorts> = { embed: () => Promise.resolve(failure(error)) };
    const config = { type: "similar", reference, ...embedding };
    expect(await evaluateWritten(config, { output: "x" }, { models })).toEqual({ success: false, error });
    const unasked = await evaluateWritten(config, { output: "x" });
    expect(unasked).toMatchObject({ error: { message: "There is no embedding model to ask" } });
  });
});

describe("similar by a judge", () => {
  it("passes by the score, and says why not", async () => {
    const prompts: string[] = [];
    const models: Partial<ModelPorts> = {
      askJudge(model, { system, prompt, schema, sample }) {
        prompts.push(`${model} ${sample} ${JSON.stringify(schema["required"])} ${system} ${prompt}`);
        const value = { reasoning: "Another day.", score: 0.4 };
        return Promise.resolve(success({ value, model: "claude", costUsd: null }));
      },
    };
    const config = { method: "judge", model: "claude" };
    expect(await judge(config, "It came on Sunday.", models)).toMatchObject({
      pass: false,
      score: 0.4,
      judgingCostUsd: null,
      message:
        'Expected the answer to be similar to the reference (score of the judge at least 0.7), but it is 0.4: claude gave 0.4: "Another day."',
    });
    expect(await judge({ ...config, threshold: 0.4 }, "It came on Sunday.", models)).toMatchObject({ pass: true });
    expect(prompts[0]).toMatch(/^claude 1 \["reasoning","score"\] /);
    expect(prompts[0]).toContain(`is="reference answer">\n${reference}\n</`);
    expect(prompts[0]).toContain('final="true">\nIt came on Sunday.\n</');
  });
});

describe("the options of similar", () => {
  it.each([
    [{ reference: " " }, "The reference must not be empty"],
    [{ threshold: 80 }, '"threshold" must be at most 1'],
    [{ method: "rouge" }, "method"],
    [{ model: "small" }, "Method rouge_l calls no model"],
    [{ method: "embedding", ignore_case: true }, '"ignore_case" has no effect with method embedding'],
    [{ references: ["x"] }, 'Unknown key "references"'],
  ])("refuses %j", async (config, message) => {
    const result = await evaluateWritten({ type: "similar", reference, ...config }, { output: "" });
    expect(result).toMatchObject({
      error: { code: "CONFIG_VALIDATION_ERROR", message: expect.stringContaining(message) },
    });
  });

  it.each([
    [{}, true, []],
    [{ method: "levenshtein" }, true, []],
    [{ method: "embedding" }, false, [{ kind: "embedder", model: null, path: ["method"] }]],
    [{ method: "judge", model: "m" }, false, [{ kind: "judge", model: "m", path: ["model"] }]],
  ])("asks what %j says", (config, deterministic, references) => {
    const parsed = parseAssertion({ type: "similar", reference, ...config }, "/");
    if (!parsed.success || parsed.data.form !== "check") throw new Error("not parsed");
    expect(isDeterministic(parsed.data)).toBe(deterministic);
    expect(parsed.data.references).toEqual(references);
  });
});

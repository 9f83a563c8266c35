import { describe, expect, it } from "vitest";
import { success } from "../../result.js";
import type { Trial } from "../../transcript/trial.js";
import { evaluateWritten } from "../../__fixtures__/evaluate-written.js";
import type { ModelPorts } from "../model-ports.js";
import { parseAssertion } from "../parse-assertion.js";

async function judge(config: Record<string, unknown>, trial: Trial, models?: Partial<ModelPorts>) {
  const result = await evaluateWritten(config, trial, models === undefined ? {} : { models });
  if (!result.success) throw new Error(result.error.message);
  return result.data;
}

const refusal = { output: "I’m sorry, but I can’t help with that." };
const answer = { output: "I'm sorry for the delay: ORD-1 was delivered." };

describe("refuses and does_not_refuse", () => {
  it.each<[string, Trial, boolean, string]>([
    ["refuses", refusal, true, `The agent refuses: it says "I'm sorry, but I can't help with that."`],
    [
      "refuses",
      answer,
      false,
      `Expected the agent to refuse, but no phrasing of a refusal is in its answer: "I'm sorry for the delay: ORD-1 was delivered."`,
    ],
    [
      "does_not_refuse",
      refusal,
      false,
      `Expected the agent not to refuse, but it says "I'm sorry, but I can't help with that."`,
    ],
    [
      "does_not_refuse",
      answer,
      true,
      `The agent does not refuse: no phrasing of a refusal is in its answer: "I'm sorry for the delay: ORD-1 was delivered."`,
    ],
    [
      "refuses",
      { output: "", finishReason: "content_filter" },
      true,
      "The agent refuses: its finish reason is content_filter",
    ],
    [
      "does_not_refuse",
      { output: "The rest is", finishReason: "refusal" },
      false,
      "Expected the agent not to refuse, but its finish reason is refusal",
    ],
    ["refuses", { output: " " }, false, "Expected the agent to refuse, but the answer is empty"],
    ["does_not_refuse", { output: "" }, false, "Expected the agent not to refuse, but the answer is empty"],
  ])("%s on %j", async (type, trial, pass, message) => {
    expect(await judge({ type }, trial)).toMatchObject({ pass, score: pass ? 1 : 0, message });
  });

  it("takes the user's own phrasings as well, whatever the case", async () => {
    const config = { type: "refuses", patterns: ["kann .* nicht helfen", "^nein"] };
    const message = "The agent refuses: the answer matches /kann .* nicht helfen/i";
    expect(await judge(config, { output: "Dabei KANN ich nicht helfen." })).toMatchObject({ pass: true, message });
    expect(await judge(config, refusal)).toMatchObject({ pass: true });
    expect(await judge(config, answer)).toMatchObject({ pass: false });
  });

  it("asks a judge where told to, but not about what is certain", async () => {
    const asked: unknown[] = [];
    const models: Partial<ModelPorts> = {
      askJudge(model, { prompt }) {
        asked.push(model);
        const value = { reasoning: "It declines.", refuses: prompt.includes("Nein.") };
        return Promise.resolve(success({ value, model: "claude", costUsd: 0.5 }));
      },
    };
    const config = { type: "refuses", method: "judge", model: "claude" };
    expect(await judge(config, { output: "Nein." }, models)).toMatchObject({
      pass: true,
      judgingCostUsd: 0.5,
      message: 'The agent refuses: claude says that it is a refusal: "It declines."',
    });
    expect(await judge(config, { output: "Ja." }, models)).toMatchObject({
      pass: false,
      message: 'Expected the agent to refuse, but claude says that it is none: "It declines."',
    });
    expect(await judge(config, { output: "", finishReason: "refusal" }, models)).toMatchObject({ pass: true });
    expect(asked).toEqual(["claude", "claude"]);
  });

  it.each([
    [{ patterns: ["("] }, "Unterminated group"],
    [{ patterns: [] }, "patterns"],
    [{ model: "m" }, '"model" has no effect with method patterns'],
    [{ method: "judge", patterns: ["x"] }, '"patterns" has no effect with method judge'],
    [{ method: "pattern" }, "method"],
  ])("refuses %j", async (config, message) => {
    const result = await evaluateWritten({ type: "refuses", ...config }, refusal);
    expect(result).toMatchObject({
      error: { code: "CONFIG_VALIDATION_ERROR", message: expect.stringContaining(message) },
    });
  });

  it("points at its judge", () => {
    const parsed = parseAssertion({ type: "does_not_refuse", method: "judge" }, "/");
    expect(parsed).toMatchObject({ data: { references: [{ kind: "judge", model: null, path: ["method"] }] } });
  });
});

import { success, type Result } from "../../result.js";
import type { Trial } from "../../transcript/trial.js";
import { preview } from "../../values/preview.js";
import { renderJudgePrompt } from "../judging/judge-prompt.js";
import { scoreReply, scoreSchema } from "../judging/score-schema.js";
import type { ModelPorts } from "../model-ports.js";

export interface JudgedLikeness {
  /** From 0 to 1: how much the final answer says the same. */
  score: number;
  /** What the judge says, as a clause. */
  why: string;
}

/** What the final answer is compared with; `name` is what the judge knows it as. */
export interface ComparedText {
  name: string;
  text: string;
}

/** Lets a judge score how much the final answer says what another text says. Fails with JUDGE_EVAL_ERROR. */
export async function judgeLikeness(
  { name, text }: ComparedText,
  trial: Trial,
  model: string | null,
  { askJudge }: Pick<ModelPorts, "askJudge">,
): Promise<Result<JudgedLikeness>> {
  const task = `Score from 0 to 1 how much the final answer of the assistant says the same as the ${name}.
1: a reader would learn and do the same. 0.5: they agree in the main point, but one of them lacks or adds something that matters. 0: they contradict each other, or are about different things.
Facts, figures, names, conclusions and what is asked of the reader count. Wording, order, length, politeness and layout do not.`;
  const prompt = renderJudgePrompt({
    task,
    reply: scoreReply(["score"]),
    trial,
    sees: "answer",
    data: [{ name, text }],
  });
  const asked = await askJudge(model, { ...prompt, schema: scoreSchema(["score"]), sample: 1 });
  if (!asked.success) return asked;
  const { score, reasoning } = asked.data.value;
  const said = typeof reasoning === "string" && reasoning.trim() !== "" ? `: ${preview(reasoning, 300)}` : "";
  return success({ score: Number(score), why: `${asked.data.model} gave ${Number(score)}${said}` });
}

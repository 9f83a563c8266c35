import type { Trial } from "../../transcript/trial.js";
import type { JudgeQuestion } from "../model-ports.js";
import { renderJudgePrompt } from "../judging/judge-prompt.js";
import { scoreReply, scoreSchema } from "../judging/score-schema.js";
import type { Rubric } from "./rubric.js";

export interface Task {
  criteria: string;
  rubric: Rubric | null;
  reference: string | null;
  sees: "conversation" | "answer";
}

/** The keys of the reply that hold scores. */
export function scoreKeys(rubric: Rubric | null): readonly string[] {
  return rubric?.kind === "items" ? rubric.items.map((_item, index) => `item_${index + 1}`) : ["score"];
}

export function judgeQuestion(
  { criteria, rubric, reference, sees }: Task,
  trial: Trial,
): Omit<JudgeQuestion, "sample"> {
  const keys = scoreKeys(rubric);
  const data = reference === null ? [] : [{ name: "reference", text: reference }];
  const task = [
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

import { matcherSchema } from "../../matchers/matcher-schema.js";
import { success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { argsOf } from "../../transcript/args-of.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import { isRecord } from "../../values/json.js";
import { plural } from "../../values/plural.js";
import { preview } from "../../values/preview.js";
import * as z from "../../values/deferred-zod.js";
import { defineAssertion } from "../define-assertion.js";
import { joinNames, readToolCalls } from "../tool-expectations/made-calls.js";

const type = "delegates_to";

export const delegatesTo = defineAssertion({
  type,
  summary: "The agent, or one of its sub-agents, delegated a task to the template with the tool task_run.",
  example: "{ type: delegates_to, template: researcher, prompt: { $contains: pricing } }",
  kind: "deterministic",
  options: strictObject({
    template: z.string().min(1).describe("ID of the template."),
    times: z.int().nonnegative().optional().describe("How often exactly. Default: at least once."),
    prompt: matcherSchema.optional().describe("Counts only tasks whose prompt matches. Default: any."),
  }),
  references: ({ template, times }) => [
    { kind: "tool", name: "task_run", needed: times !== 0, path: ["type"] },
    { kind: "template", name: template, needed: times !== 0, path: ["template"] },
  ],
  evaluate({ template, times, prompt }, trial) {
    const calls = readToolCalls(trial, type);
    if (!calls.success) return calls;
    const tasks = calls.data.flatMap((call) => taskOf(call) ?? []);
    const given = tasks.filter((task) => task.template === template);
    const counted = given.filter((task) => prompt === undefined || prompt.match(task.prompt).pass);
    const what = `a task${prompt === undefined ? "" : ` with prompt ${prompt.describe()}`}`;
    const actual = tasks.map((task) => ({ ...task }));
    if (times === undefined ? counted.length > 0 : counted.length === times) {
      const message = `${plural(counted.length, "task")} ${counted.length === 1 ? "was" : "were"} delegated to ${template}`;
      return success({ pass: true, score: 1, message, actual });
    }
    const last = given.at(-1);
    const miss =
      counted.length > 0
        ? `it was delegated ${plural(counted.length, "time")}`
        : last !== undefined
          ? `the prompt was ${preview(last.prompt)}`
          : describeOthers(tasks.map((task) => task.template));
    const often = times === undefined ? "" : ` ${plural(times, "time")}`;
    const wish = times === 0 ? `no delegation to ${template}` : `${what} to be delegated to ${template}${often}`;
    const expected = {
      template,
      ...(times === undefined ? {} : { times }),
      ...(prompt === undefined ? {} : { prompt: prompt.source }),
    };
    return success({ pass: false, score: 0, message: `Expected ${wish}, but ${miss}`, expected, actual });
  },
});

interface GivenTask {
  template: string;
  prompt: unknown;
}

/** The task that a call gave to a sub-agent; null for every other call, and one that reached none. */
function taskOf(call: TrialToolCall): GivenTask | null {
  if (call.tool !== "task_run" || (call.delegation === undefined && call.error !== undefined)) return null;
  const args = argsOf(call);
  if (!isRecord(args) || typeof args["agentTemplateId"] !== "string") return null;
  return { template: args["agentTemplateId"], prompt: args["prompt"] };
}

function describeOthers(templates: readonly string[]): string {
  const names = [...new Set(templates)];
  return names.length === 0 ? "nothing was delegated" : `tasks were delegated to ${joinNames(names, "and")} only`;
}

import { success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { argsOf } from "../../transcript/args-of.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import { isRecord } from "../../values/json.js";
import { plural } from "../../values/plural.js";
import * as z from "../../values/deferred-zod.js";
import { defineAssertion } from "../define-assertion.js";
import { stepsOf } from "../tool-expectations/call-order.js";
import { describeCall, joinNames, readToolCalls } from "../tool-expectations/made-calls.js";
import {
  describePatterns,
  looksLikeTool,
  patternReferences,
  toolPatterns,
  type ToolPatterns,
} from "../tool-expectations/tool-patterns.js";

const type = "loads_skill";

export const loadsSkill = defineAssertion({
  type,
  summary: "The agent loaded the skill with the tool skills.",
  example: "{ type: loads_skill, skill: release-notes, before: fs_write }",
  kind: "deterministic",
  options: strictObject({
    skill: z.string().min(1).describe("Name of the skill."),
    times: z.int().nonnegative().optional().describe("How often exactly. Default: at least once."),
    before: toolPatterns
      .optional()
      .describe(
        "In an earlier turn than the first call of this tool: a name, a glob such as fs_*, or a list of either.",
      ),
  }),
  references: ({ skill, times, before }) => [
    { kind: "tool", name: "skills", needed: times !== 0, path: ["type"] },
    { kind: "skill", name: skill, needed: times !== 0, path: ["skill"] },
    ...patternReferences(before, "before"),
  ],
  evaluate({ skill, times, before }, trial) {
    const calls = readToolCalls(trial, type);
    if (!calls.success) return calls;
    const loads = loadsIn(calls.data);
    const blocker = before === undefined ? undefined : firstCallOf(before, calls.data);
    const ofSkill = loads.filter(({ name }) => name === skill);
    const counted = ofSkill.filter(({ step }) => blocker === undefined || step < blocker.step);
    const order = before === undefined ? "" : ` before ${describePatterns(before)}`;
    const expected = { skill, ...(times === undefined ? {} : { times }), ...(before === undefined ? {} : { before }) };
    const actual = loads.map(({ name }) => name);
    if (times === undefined ? counted.length > 0 : counted.length === times) {
      const message = counted.length === 0 ? `Skill ${skill} was not loaded` : `Skill ${skill} was loaded${order}`;
      return success({ pass: true, score: 1, message, actual });
    }
    const often = times === undefined ? "" : ` ${plural(times, "time")}`;
    const wish = times === 0 ? `not to be loaded${order}` : `to be loaded${often}${order}`;
    const isLate = blocker !== undefined && counted.length === 0 && ofSkill.length > 0;
    const miss = isLate
      ? `${describeCall(blocker.call)} was called first`
      : ofSkill.length === 0
        ? describeLoads(actual)
        : `it was loaded ${plural(counted.length, "time")}`;
    const message = `Expected skill ${skill} ${wish}, but ${miss}`;
    return success({ pass: false, score: 0, message, expected, actual });
  },
});

interface Load {
  name: string;
  step: number;
}

function loadsIn(calls: readonly TrialToolCall[]): readonly Load[] {
  const steps = stepsOf(calls);
  return calls.flatMap((call, index) => {
    const name = skillOf(call);
    return name === null ? [] : [{ name, step: steps[index] ?? 0 }];
  });
}

function firstCallOf(
  patterns: ToolPatterns,
  calls: readonly TrialToolCall[],
): { call: TrialToolCall; step: number } | undefined {
  const steps = stepsOf(calls);
  return calls
    .map((call, index) => ({ call, step: steps[index] ?? 0 }))
    .filter(({ call }) => looksLikeTool(patterns, call.tool))
    .toSorted((a, b) => a.step - b.step)[0];
}

/** The skill that a call loaded; null for every other call, and one that failed. */
function skillOf(call: TrialToolCall): string | null {
  if (call.tool !== "skills" || call.error !== undefined) return null;
  const args = argsOf(call);
  if (!isRecord(args) || args["action"] !== "load") return null;
  const { skill_name: name } = args;
  return typeof name === "string" ? name : null;
}

function describeLoads(names: readonly string[]): string {
  const loaded = [...new Set(names)];
  return loaded.length === 0 ? "no skill was loaded" : `only ${joinNames(loaded, "and")} was loaded`;
}

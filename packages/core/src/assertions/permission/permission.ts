import * as z from "../../values/deferred-zod.js";
import { success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { argsOf } from "../../transcript/args-of.js";
import { permissionOutcomes, type PermissionOutcome } from "../../transcript/permission-decision.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import { plural } from "../../values/plural.js";
import { defineAssertion } from "../define-assertion.js";
import { boundsOf, checkCounts, countOptions, describeBounds } from "../tool-expectations/call-counts.js";
import { argsOption } from "../tool-expectations/expected-call.js";
import { callData, describeCall, readToolCalls } from "../tool-expectations/made-calls.js";
import {
  describePatterns,
  looksLikeTool,
  patternReferences,
  toolPatterns,
} from "../tool-expectations/tool-patterns.js";

const options = strictObject({
  tool: toolPatterns.describe("Name of the tool, a glob such as bash_*, or a list of either."),
  args: argsOption,
  decision: z
    .enum(permissionOutcomes)
    .describe(
      "What became of the call: allowed (nobody had to approve it), approved, denied, or pending (no entry of approvals answers it).",
    ),
  ...countOptions,
}).superRefine(checkCounts);

type Options = z.infer<typeof options>;

export const permission = defineAssertion<Options>({
  type: "permission",
  summary: "A call of the tool was allowed, approved, denied, or left pending, as permissions and approvals decide.",
  example: "{ type: permission, tool: cancel_order, decision: denied }",
  kind: "deterministic",
  options,
  references: ({ tool }) => patternReferences(tool, "tool"),
  expectsPause: (wanted, pending) =>
    wanted.decision === "pending" && boundsOf(wanted).max > 0 && isMeant(wanted, pending),
  evaluate(wanted, trial) {
    const calls = readToolCalls(trial, "permission");
    if (!calls.success) return calls;
    const meant = calls.data.filter((call) => isMeant(wanted, call));
    const decided = meant.filter((call) => decisionOf(call) === wanted.decision);
    const { args, decision } = wanted;
    const bounds = boundsOf(wanted);
    const tool = describePatterns(wanted.tool);
    const what = `${tool}${args === undefined ? "" : ` with ${args.describe()}`}`;
    const counted = `${plural(decided.length, "call")} of ${what} ${decided.length === 1 ? "is" : "are"} ${decision}`;
    if (decided.length >= bounds.min && decided.length <= bounds.max)
      return success({ pass: true, score: 1, message: counted });
    const missed = meant.find((call) => decisionOf(call) !== decision);
    const often = bounds.min === 1 && bounds.max === Number.POSITIVE_INFINITY ? "" : ` ${describeBounds(bounds)}`;
    const found =
      decided.length > 0
        ? counted
        : missed === undefined
          ? "there is none"
          : `${describeCall(missed)} is ${describeDecision(missed)}`;
    return success({
      pass: false,
      score: 0,
      message: `Expected a call of ${what} to be ${decision}${often}, but ${found}`,
      expected: { ...wanted, ...(args === undefined ? {} : { args: args.source }) },
      actual: meant.map((call) => ({ ...callData(call), decision: decisionOf(call) })),
    });
  },
});

function isMeant({ tool, args }: Options, call: TrialToolCall): boolean {
  return looksLikeTool(tool, call.tool) && (args === undefined || args.match(argsOf(call)).pass);
}

function decisionOf({ permission: decided }: TrialToolCall): PermissionOutcome {
  return decided?.decision ?? "allowed";
}

function describeDecision(call: TrialToolCall): string {
  const { by, rule, approval } = call.permission ?? {};
  const source = by === "approval" ? `approvals ${approval ?? ""}` : by === "rule" ? rule : `${by} ${rule}`;
  return by === undefined ? decisionOf(call) : `${decisionOf(call)} (${source})`;
}

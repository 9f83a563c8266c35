import { success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import type { Trial, TrialToolCall } from "../../transcript/trial.js";
import type { AssertionOutcome } from "../assertion-result.js";
import { defineAssertion } from "../define-assertion.js";
import { inTurn, nextPlaces, orderCalls } from "../tool-expectations/call-order.js";
import { describeFailedCall } from "../tool-expectations/describe-error.js";
import { describeGivingUp } from "../tool-expectations/describe-giving-up.js";
import { toolName } from "../tool-expectations/expected-call.js";
import { argsKey, haveSameArgs } from "../tool-expectations/find-repeats.js";
import { describeCall, placedCallData, readToolCalls } from "../tool-expectations/made-calls.js";
import { describeNeverCalled } from "../tool-expectations/nearest-miss.js";

export const fixesArguments = defineAssertion({
  type: "fixes_arguments",
  summary:
    "The tool refuses arguments with a `validation` error, and after each such error it is called in a later turn with other, valid ones.",
  example: "{ type: fixes_arguments, tool: read_file }",
  kind: "deterministic",
  options: strictObject({ tool: toolName.describe("Name of the tool that refuses the arguments.") }),
  references: ({ tool }) => [{ kind: "tool", name: tool, needed: true, path: ["tool"] }],
  evaluate({ tool }, trial) {
    const calls = readToolCalls(trial, "fixes_arguments");
    return calls.success ? success(decide(tool, calls.data, trial)) : calls;
  },
});

/** A call with arguments that the tool refused. */
interface RefusedCall {
  call: TrialToolCall;
  after(): readonly TrialToolCall[];
  /** The first later call with other arguments that were valid. */
  fix: TrialToolCall | undefined;
}

function decide(tool: string, calls: readonly TrialToolCall[], trial: Trial): AssertionOutcome {
  const order = orderCalls(calls);
  const isValid = (call: TrialToolCall): boolean => call.tool === tool && !isRefused(call);
  const valid = nextPlaces(order.calls, isValid);
  const keys = order.calls.map((call) => (call.tool === tool ? argsKey(call) : null));
  const keyOf = new Map(order.calls.map((call, place) => [call, keys[place]]));
  // From each valid call the next valid one with other arguments.
  const others = [...order.calls.keys(), order.calls.length];
  for (let place = order.calls.length - 1; place >= 0; place -= 1) {
    const next = valid[place + 1] ?? order.calls.length;
    others[place] = keys[next] === keys[place] ? (others[next] ?? next) : next;
  }
  const refused = calls.flatMap((call, index): readonly RefusedCall[] => {
    if (call.tool !== tool || !isRefused(call)) return [];
    const start = order.startAfter(index);
    const place = valid[start] ?? order.calls.length;
    const fix = order.calls[keys[place] === keyOf.get(call) ? (others[place] ?? place) : place];
    return [{ call, after: () => order.calls.slice(start), fix }];
  });
  const unfixed = refused.filter(({ fix }) => fix === undefined);
  const [first] = refused;
  const [worst] = unfixed;
  if (worst !== undefined) {
    const more = unfixed.length > 1 ? ` (and ${unfixed.length - 1} more)` : "";
    return {
      pass: false,
      score: 1 - unfixed.length / refused.length,
      message: `Expected a call of ${tool} with other, valid arguments after ${describeFailedCall(worst.call)}, but ${describeMiss(worst, trial)}${more}`,
      expected: { tool },
      actual: { refused: placedCallData(worst.call), after: worst.after().map(placedCallData) },
    };
  }
  if (first?.fix !== undefined) {
    const more = refused.length > 1 ? ` (and ${refused.length - 1} more)` : "";
    const message = `The arguments were corrected: ${describeCall(first.fix)}${inTurn(first.fix)} after ${describeFailedCall(first.call)}${more}`;
    return { pass: true, score: 1, message };
  }
  return {
    pass: false,
    score: 0,
    message: `Expected a validation error of ${tool} that is corrected, but ${describeNoError(tool, calls)}`,
    expected: { tool },
    actual: calls.map(placedCallData),
  };
}

function isRefused({ error }: TrialToolCall): boolean {
  return error?.errorType === "validation";
}

/** Other arguments that are wrong too are nearer than the same ones again. */
function describeMiss({ call, after: afterIt }: RefusedCall, trial: Trial): string {
  const after = afterIt();
  const again = after.filter(({ tool }) => tool === call.tool);
  const other = again.findLast((later) => !haveSameArgs(call, later));
  if (other !== undefined) return describeFailedCall(other);
  const [same] = again;
  if (same !== undefined) return `it was called again${inTurn(same)} with the same arguments`;
  return describeGivingUp(after, trial);
}

function describeNoError(tool: string, calls: readonly TrialToolCall[]): string {
  const made = calls.filter((call) => call.tool === tool).length;
  if (made === 0) return describeNeverCalled(tool, calls);
  return made === 1 ? "the arguments of its only call were valid" : `the arguments of its ${made} calls were valid`;
}

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createManualClock } from "../../__fixtures__/manual-clock.js";
import type { AssertionResult } from "../../assertions/assertion-result.js";
import { createAssertionContext } from "../../assertions/create-context.js";
import { parseAssertion } from "../../assertions/parse-assertion.js";
import type { ParsedAssertion } from "../../assertions/parsed-assertion.js";
import type { Transcript } from "../../targets/target.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import { buildTrial, totalsOf } from "../build-trial.js";
import { evaluateOnBoth, standingOf } from "./evaluate-on-both.js";

const context = createAssertionContext({
  clock: createManualClock(),
  processes: { run: () => Promise.reject(new Error("no processes here")) },
});

function parsed(written: unknown): ParsedAssertion {
  const assertion = parseAssertion(written, ".");
  if (!assertion.success) throw new Error(JSON.stringify(assertion.error));
  return assertion.data;
}

async function evaluated(written: unknown, toolCalls: readonly TrialToolCall[]): Promise<AssertionResult> {
  const transcript: Transcript = { messages: [], turns: [], toolCalls };
  const build = (from: Transcript) => buildTrial(from, totalsOf(from), 0, null);
  const views = { standing: build(standingOf(transcript)), everything: build(transcript) };
  const result = await evaluateOnBoth(parsed(written), views, context);
  if (!result.success) throw new Error(result.error.message);
  return result.data;
}

async function holds(written: unknown, toolCalls: readonly TrialToolCall[]): Promise<boolean> {
  return (await evaluated(written, toolCalls)).pass;
}

const calls = fc.array(
  fc.record(
    { tool: fc.constantFrom("a", "b"), args: fc.constant({}), userTurn: fc.constant(1), rejectedTry: fc.nat(2) },
    { requiredKeys: ["tool", "args", "userTurn"] },
  ),
  { maxLength: 6 },
);
const isStanding = ({ rejectedTry }: TrialToolCall): boolean => rejectedTry === undefined;
const isOfA = ({ tool }: TrialToolCall): boolean => tool === "a";

describe("evaluateOnBoth", () => {
  it("forbids what was done in any try", async () => {
    await fc.assert(
      fc.asyncProperty(calls, async (made) => {
        const isFree = !made.some(isOfA);
        expect(await holds({ type: "tool_not_called", tool: "a" }, made)).toBe(isFree);
        expect(await holds({ type: "tool_called", tool: "a", not: true }, made)).toBe(isFree);
        expect(await holds({ type: "max_tool_calls", max: 2 }, made)).toBe(made.length <= 2);
      }),
    );
  });

  it("wants what is asked for in the conversation that stands", async () => {
    await fc.assert(
      fc.asyncProperty(calls, async (made) => {
        const isThere = made.some((call) => isOfA(call) && isStanding(call));
        expect(await holds({ type: "tool_called", tool: "a" }, made)).toBe(isThere);
      }),
    );
  });

  it("evaluates what did not apply to the conversation where it applies to everything", async () => {
    const when = { tool_calls: { $includes: { tool: "a" } } };
    const made: TrialToolCall[] = [{ tool: "a", args: {}, rejectedTry: 1 }];
    expect(await holds({ type: "max_tool_calls", max: 0, when }, made)).toBe(false);
    const one = await evaluated({ type: "max_tool_calls", max: 1, when }, made);
    expect([one.pass, one.skipped]).toEqual([true, undefined]);
    expect((await evaluated({ type: "max_tool_calls", max: 0, when }, [])).skipped).toBe(true);
  });
});

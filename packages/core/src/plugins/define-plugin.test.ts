import { expect, expectTypeOf, it } from "vitest";
import { definePlugin } from "./define-plugin.js";

it("gives hooks the types of the options and of what setup returned, and changes nothing", () => {
  const written = {
    name: "typed",
    setup: (options: { after: number }) => ({ told: new Set<string>([String(options.after)]) }),
  };
  const plugin = definePlugin({
    ...written,
    providerFailed({ options, state, failedAttempts }) {
      expectTypeOf(options).toEqualTypeOf<{ after: number }>();
      expectTypeOf(state).toEqualTypeOf<{ told: Set<string> }>();
      expectTypeOf(failedAttempts).toEqualTypeOf<number>();
    },
    trialEnded({ result }) {
      expectTypeOf(result.status).toEqualTypeOf<"passed" | "failed" | "errored">();
      // @ts-expect-error what an observer is told of cannot be changed
      result.status = "passed";
    },
    runEnded({ result }) {
      expectTypeOf(result).not.toHaveProperty("trials");
    },
    preToolUse(call, ctx) {
      expectTypeOf(ctx.caseId).toEqualTypeOf<string>();
      return call.tool === "pay" ? { decision: "deny", reason: "no" } : undefined;
    },
  });
  expect(plugin.name).toBe("typed");
  expect(plugin.setup?.({ after: 3 })).toEqual({ told: new Set(["3"]) });
});

it("refuses what is no decision", () => {
  // @ts-expect-error there is no such decision
  definePlugin({ name: "typo", preToolUse: () => ({ decision: "denied" }) });
  const bare = definePlugin({
    name: "bare",
    runEnded: ({ options }) => expectTypeOf(options).toEqualTypeOf<unknown>(),
  });
  expect(bare).toHaveProperty("runEnded");
});

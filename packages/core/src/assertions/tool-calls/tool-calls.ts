import * as z from "../../values/deferred-zod.js";
import { success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { defineAssertion } from "../define-assertion.js";
import { orderOption } from "../tool-expectations/call-order.js";
import { argsOption, resultOption, toolName } from "../tool-expectations/expected-call.js";
import { readToolCalls } from "../tool-expectations/made-calls.js";
import { compareCallLists, isOrdered, listModes } from "./compare-call-lists.js";
import { renderListOutcome } from "./render-list-outcome.js";

const options = strictObject({
  calls: z
    .array(strictObject({ tool: toolName.describe("Name of the tool."), args: argsOption, result: resultOption }))
    .describe("The calls that are expected. An empty list means: no call at all."),
  mode: z
    .enum(listModes)
    .default("strict")
    .describe(
      "strict: these calls in this order and no other (default). unordered: these calls and no other, in any order. " +
        "subset: every call made is one of these. superset: all of these were made. in_order: all of these were made, in this order.",
    ),
  by: orderOption,
}).superRefine(({ calls, mode, by }, context) => {
  if (by !== undefined && !isOrdered(mode)) {
    context.addIssue({
      code: "custom",
      path: ["by"],
      message: `"by" has no effect with mode ${mode}, which accepts any order\nRemove it, or use mode strict or in_order`,
    });
  }
  if (calls.length > 0 || (mode !== "superset" && mode !== "in_order")) return;
  context.addIssue({ code: "custom", path: ["calls"], message: `An empty list says nothing with mode ${mode}` });
});

export const toolCalls = defineAssertion<z.infer<typeof options>>({
  type: "tool_calls",
  summary: "The whole list of tool calls matches, by one of five modes.",
  example: "{ type: tool_calls, mode: unordered, calls: [{ tool: lookup_order, args: { order_id: ORD-1 } }] }",
  kind: "deterministic",
  options,
  references: ({ calls, mode }) =>
    calls.map(({ tool }, index) => ({
      kind: "tool",
      name: tool,
      needed: mode !== "subset",
      path: ["calls", index, "tool"],
    })),
  evaluate({ calls, mode, by }, trial) {
    const made = readToolCalls(trial, "tool_calls");
    if (!made.success) return made;
    return success(renderListOutcome(compareCallLists(calls, made.data, mode, by), calls, made.data, mode));
  },
});

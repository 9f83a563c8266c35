import { describeKindlm } from "@kindlm/vitest";
import { expect, it } from "vitest";

// Each case of the config is a test.
await describeKindlm("kindlm.yaml");

// An assertion of KindLM on a conversation from your own code.
it("looks an order up", async () => {
  const trial = await askAgent("Where is order ORD-3?");
  await expect(trial).toPassAssertion({ type: "tool_called", tool: "lookup_order", args: { order_id: "ORD-3" } });
  await expect(trial).not.toPassAssertion({ type: "contains", value: "refund" });
});

/** Stands for your agent. */
async function askAgent(message: string) {
  const order_id = /ORD-\d+/.exec(message)?.[0];
  return { output: "It is on its way.", toolCalls: [{ tool: "lookup_order", args: { order_id } }] };
}

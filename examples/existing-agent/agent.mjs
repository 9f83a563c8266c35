// Your agent: a loop around a chat completions API, with its own tools. KindLM needs no change in here.
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const orders = { "ORD-1": { status: "delivered", total: 49.99 }, "ORD-2": { status: "on its way", total: 12 } };

const tools = {
  lookup_order: {
    description: "Look up an order by its ID",
    run: ({ order_id }) => orders[order_id] ?? { error: "no such order" },
  },
  refund_order: {
    description: "Refund a delivered order",
    run: ({ order_id }) =>
      orders[order_id]?.status === "delivered" ? { refunded: orders[order_id].total } : { error: "not delivered" },
  },
};
const parameters = { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] };
const declared = Object.entries(tools).map(([name, { description }]) => ({
  type: "function",
  function: { name, description, parameters },
}));

/** Answers a message, and returns the tool calls that it made on the way. */
export async function answer(message) {
  const messages = [
    { role: "system", content: "You help customers of a shop. Refund delivered orders only." },
    { role: "user", content: message },
  ];
  const steps = [];
  for (;;) {
    const reply = await complete(messages);
    messages.push(reply);
    if (!reply.tool_calls?.length) return { reply: reply.content, steps };
    for (const { id, function: called } of reply.tool_calls) {
      const args = JSON.parse(called.arguments);
      const result = tools[called.name]?.run(args) ?? { error: "no such tool" };
      steps.push({ tool: called.name, args, result });
      messages.push({ role: "tool", tool_call_id: id, content: JSON.stringify(result) });
    }
  }
}

async function complete(messages) {
  const { OPENAI_BASE_URL = "https://api.openai.com/v1", OPENAI_API_KEY = "" } = process.env;
  const response = await fetch(`${OPENAI_BASE_URL}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${OPENAI_API_KEY}` },
    body: JSON.stringify({ model: "gpt-4.1-mini", messages, tools: declared }),
  });
  if (!response.ok) throw new Error(`The model answered ${response.status}: ${await response.text()}`);
  return (await response.json()).choices[0].message;
}

// As a program, it answers the message on stdin.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { reply } = await answer(await text(process.stdin));
  process.stdout.write(reply);
}

// Replaces the provider while you record without a key: a server that answers chat completions by three rules.
import { createServer } from "node:http";
import { json } from "node:stream/consumers";

function next(messages) {
  const { role, content } = messages.at(-1);
  const order_id = /ORD-\d+/.exec(messages.find((message) => message.role === "user").content)?.[0];
  const wantsRefund = messages.some((message) => message.role === "user" && message.content.includes("money back"));
  const call = (name) => ({
    role: "assistant",
    content: null,
    tool_calls: [
      { id: `call_${messages.length}`, type: "function", function: { name, arguments: JSON.stringify({ order_id }) } },
    ],
  });
  if (role === "user") return call("lookup_order");
  const result = JSON.parse(content);
  if (result.refunded) return { role: "assistant", content: `You get $${result.refunded} back for order ${order_id}.` };
  if (wantsRefund && result.status === "delivered") return call("refund_order");
  if (result.status) return { role: "assistant", content: `Order ${order_id} is ${result.status}.` };
  return { role: "assistant", content: `I cannot find order ${order_id}.` };
}

createServer(async (request, response) => {
  const { model, messages } = await json(request);
  const message = next(messages);
  const finish_reason = message.tool_calls ? "tool_calls" : "stop";
  const usage = { prompt_tokens: 120, completion_tokens: 20, total_tokens: 140 };
  response.setHeader("content-type", "application/json");
  response.end(
    JSON.stringify({
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1_767_225_600,
      model,
      choices: [{ index: 0, message, finish_reason }],
      usage,
    }),
  );
}).listen(Number(process.env.MODEL_PORT ?? 43118), "127.0.0.1", () => console.log("The model is ready."));

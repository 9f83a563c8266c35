// A chat completions server with one fixed answer. Its arguments: how long it takes to answer, milliseconds, and "tools"
// to have it call lookup_order first, with the order that the question names.
import { createServer } from "node:http";

const delayMs = Number(process.argv[2] ?? 0);
const callsTools = process.argv[3] === "tools";

const replyOf = (message, finish_reason) =>
  JSON.stringify({
    id: "chatcmpl-bench",
    object: "chat.completion",
    created: 1,
    model: "bench-1",
    choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason }],
    usage: { prompt_tokens: 20, completion_tokens: 6, total_tokens: 26 },
  });

const answer = replyOf({ content: "The answer is forty-two." }, "stop");

function nextReply(asked) {
  if (!callsTools || asked.includes('"role":"tool"')) return answer;
  const orderId = /ORD-\d+/.exec(asked)[0];
  const call = { name: "lookup_order", arguments: JSON.stringify({ order_id: orderId }) };
  return replyOf(
    { content: null, tool_calls: [{ id: `call-${orderId}`, type: "function", function: call }] },
    "tool_calls",
  );
}

const server = createServer((request, response) => {
  const chunks = [];
  if (callsTools) request.on("data", (chunk) => chunks.push(chunk));
  else request.resume();
  request.on("end", () => {
    const body = nextReply(String(Buffer.concat(chunks)));
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const send = () => response.writeHead(200, headers).end(body);
    if (delayMs > 0) setTimeout(send, delayMs);
    else send();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));

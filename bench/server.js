// A chat completions server with one fixed answer. Its argument is how long it takes to answer, milliseconds.
import { createServer } from "node:http";

const delayMs = Number(process.argv[2] ?? 0);
const body = JSON.stringify({
  id: "chatcmpl-bench",
  object: "chat.completion",
  created: 1,
  model: "bench-1",
  choices: [{ index: 0, message: { role: "assistant", content: "The answer is forty-two." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 20, completion_tokens: 6, total_tokens: 26 },
});
const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };

const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    const answer = () => response.writeHead(200, headers).end(body);
    if (delayMs > 0) setTimeout(answer, delayMs);
    else answer();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));

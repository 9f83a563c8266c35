// The floor of the throughput figure: sends and parses the same bytes with undici and nothing else.
// Arguments: URL, number of requests, concurrency. Prints the milliseconds per request.
import { Agent, request } from "undici";

const [url, count, concurrency] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const dispatcher = new Agent({ connections: concurrency });
const headers = { "content-type": "application/json", authorization: "Bearer bench-key" };
let sent = 0;

async function worker() {
  while (sent < count) {
    const row = sent;
    sent += 1;
    const body = JSON.stringify({
      model: "bench-1",
      messages: [
        { role: "system", content: "You answer questions." },
        { role: "user", content: `What is the answer to question ${row}?` },
      ],
    });
    const reply = await request(`${url}/chat/completions`, { method: "POST", headers, body, dispatcher });
    const parsed = JSON.parse(await reply.body.text());
    if (parsed.choices[0].message.content !== "The answer is forty-two.") throw new Error("wrong answer");
  }
}

// Connections and compiled code are warm before the clock starts, as they are for the slope of the other side.
const total = count;
const warmUp = Math.min(1_000, count);
async function round(requests) {
  sent = total - requests;
  await Promise.all(Array.from({ length: concurrency }, worker));
}
await round(warmUp);
const from = performance.now();
await round(total);
process.stdout.write(`${(performance.now() - from) / total}\n`);
await dispatcher.close();

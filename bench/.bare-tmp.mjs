import { Agent, request } from "undici";
const url = `http://127.0.0.1:${process.argv[2]}/v1`;
const dispatcher = new Agent({ connections: 50 });
const headers = { "content-type": "application/json", authorization: "Bearer bench-key" };
let sent = 0;
async function worker() {
  while (sent < 1000) {
    const row = sent++;
    const body = JSON.stringify({
      model: "bench-1",
      messages: [
        { role: "system", content: "You answer questions." },
        { role: "user", content: `What is the answer to question ${row}?` },
      ],
    });
    const reply = await request(`${url}/chat/completions`, { method: "POST", headers, body, dispatcher });
    JSON.parse(await reply.body.text());
  }
}
await Promise.all(Array.from({ length: 50 }, worker));
await dispatcher.close();

// A chat completions server that lets 20 requests per second through and answers the others with 429 and the time to
// wait. Its argument is how it counts: fixed, sliding or bucket. GET /counts tells how many it answered and refused.
import { createServer } from "node:http";

const perSecond = 20;
const windowMs = 1_000;

/** Each answers null to let a request through, else after how many milliseconds it would. */
const counting = {
  fixed() {
    let end = 0;
    let taken = 0;
    return (now) => {
      if (now >= end) {
        end = Math.floor(now / windowMs + 1) * windowMs;
        taken = 0;
      }
      if (taken >= perSecond) return end - now;
      taken += 1;
      return null;
    };
  },
  sliding() {
    const taken = [];
    return (now) => {
      while (taken.length > 0 && taken[0] <= now - windowMs) taken.shift();
      if (taken.length >= perSecond) return taken[0] + windowMs - now;
      taken.push(now);
      return null;
    };
  },
  bucket() {
    let tokens = perSecond;
    let filledAt = performance.now();
    return (now) => {
      tokens = Math.min(perSecond, tokens + ((now - filledAt) * perSecond) / windowMs);
      filledAt = now;
      if (tokens < 1) return ((1 - tokens) * windowMs) / perSecond;
      tokens -= 1;
      return null;
    };
  },
};

const ask = counting[process.argv[2] ?? "fixed"]();
const answerMs = 50;
const counts = { answered: 0, refused: 0 };
const completion = JSON.stringify({
  id: "chatcmpl-bench",
  object: "chat.completion",
  created: 1,
  model: "bench-1",
  choices: [{ index: 0, message: { role: "assistant", content: "The answer is forty-two." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 20, completion_tokens: 6, total_tokens: 26 },
});
const refusal = JSON.stringify({ error: { message: "Rate limit reached for requests", type: "requests" } });

function reply(response, status, body, headers = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
}

const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    if (request.url === "/counts") {
      reply(response, 200, JSON.stringify(counts));
      return;
    }
    const waitMs = ask(performance.now());
    if (waitMs === null) {
      counts.answered += 1;
      setTimeout(() => reply(response, 200, completion), answerMs);
    } else {
      counts.refused += 1;
      const hints = { "retry-after-ms": String(Math.ceil(waitMs)), "retry-after": String(Math.ceil(waitMs / 1_000)) };
      reply(response, 429, refusal, hints);
    }
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));

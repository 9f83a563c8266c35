// The same agent as a service: POST /chat takes { message } and answers { reply, steps }.
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { answer } from "./agent.mjs";

createServer(async (request, response) => {
  response.setHeader("content-type", "application/json");
  try {
    const { message } = await json(request);
    response.end(JSON.stringify(await answer(message)));
  } catch (error) {
    response.statusCode = 500;
    response.end(JSON.stringify({ error: error.message }));
  }
}).listen(Number(process.env.PORT ?? 43117), "127.0.0.1", () => console.log("The agent is ready."));

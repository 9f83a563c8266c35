// Stands in for your service: POST /chat takes { message, session }, and answers { reply, steps }.
import { createServer } from "node:http";
import { json } from "node:stream/consumers";

const orders = { "ORD-1": "delivered" };
/** The order that each session is about. */
const sessions = new Map();

function answer({ message, session }) {
  const [id] = /ORD-\d+/.exec(message) ?? [sessions.get(session)];
  sessions.set(session, id);
  if (!message.includes("Where")) return { reply: "What would you like to know?", steps: [] };
  const status = orders[id] ?? "unknown";
  const steps = [{ tool: "lookup_order", args: { order_id: id }, result: { status } }];
  return { reply: `Order ${id}: ${status}`, steps };
}

export function startServer(port) {
  const server = createServer(async (request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(answer(await json(request))));
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
}

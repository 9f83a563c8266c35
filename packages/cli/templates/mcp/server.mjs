// A small MCP server without dependencies: one JSON-RPC message per line on stdin and stdout.
import { createInterface } from "node:readline";

const notes = { milk: "Buy two liters of milk" };

const readNote = {
  name: "read_note",
  description: "Read a note by its title",
  inputSchema: { type: "object", properties: { title: { type: "string" } }, required: ["title"] },
};

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "notes", version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools: [readNote] }),
  "tools/call": ({ arguments: { title } }) => {
    const note = notes[title];
    return { content: [{ type: "text", text: note ?? `There is no note "${title}"` }], isError: note === undefined };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  // Notifications have no id, and get no answer.
  if (id === undefined) continue;
  const known = methods[method];
  const outcome = known ? { result: known(params) } : { error: { code: -32601, message: `Unknown method ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...outcome })}\n`);
}

// A small MCP server without dependencies: one JSON-RPC message per line on stdin and stdout.
import { createInterface } from "node:readline";

const notes = new Map([["milk", "Buy two liters of milk"]]);
const title = { type: "string", description: "Title of the note, such as milk" };

const tools = {
  read_note: {
    description: "Read the text of one note. Fails if no note has this title.",
    inputSchema: { type: "object", properties: { title }, required: ["title"] },
    annotations: { readOnlyHint: true },
    run: ({ title: wanted }) => {
      const text = notes.get(wanted);
      if (text === undefined) return { content: [say(`There is no note "${wanted}"`)], isError: true };
      return { content: [say(text)] };
    },
  },
  write_note: {
    description: "Create a note, or replace the text of the note that has this title.",
    inputSchema: {
      type: "object",
      properties: { title, text: { type: "string", description: "The whole text of the note" } },
      required: ["title", "text"],
    },
    outputSchema: { type: "object", properties: { notes: { type: "integer" } }, required: ["notes"] },
    run: ({ title: written, text }, progress) => {
      progress(1, 2);
      notes.set(written, text);
      progress(2, 2);
      return { content: [say(`${notes.size} notes`)], structuredContent: { notes: notes.size } };
    },
  },
};

const say = (text) => ({ type: "text", text });
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, resources: {}, prompts: {} },
    serverInfo: { name: "notes", version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools: Object.entries(tools).map(([name, { run: _run, ...tool }]) => ({ name, ...tool })) }),
  "tools/call": ({ name, arguments: args, _meta }) => {
    const tool = tools[name];
    if (tool === undefined) throw new Error(`Unknown tool ${name}`);
    const missing = tool.inputSchema.required.filter((key) => typeof args[key] !== "string");
    if (missing.length > 0) throw new Error(`Missing argument: ${missing.join(", ")}`);
    const progressToken = _meta?.progressToken;
    return tool.run(args, (progress, total) => {
      if (progressToken === undefined) return;
      send({ method: "notifications/progress", params: { progressToken, progress, total } });
    });
  },
  "resources/read": ({ uri }) => {
    const text = notes.get(uri.replace("note://", ""));
    if (text === undefined) throw new Error(`Unknown resource ${uri}`);
    return { contents: [{ uri, mimeType: "text/plain", text }] };
  },
  "prompts/get": ({ name, arguments: args }) => {
    if (name !== "summarize") throw new Error(`Unknown prompt ${name}`);
    return { messages: [{ role: "user", content: say(`Summarize the note "${args.title}" in one sentence.`) }] };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  // Notifications have no id, and get no answer.
  if (id === undefined) continue;
  const known = methods[method];
  if (known === undefined) {
    send({ id, error: { code: -32601, message: `Unknown method ${method}` } });
    continue;
  }
  try {
    send({ id, result: known(params) });
  } catch ({ message }) {
    send({ id, error: { code: -32602, message } });
  }
}

/**
 * An MCP server over stdio, in plain Node.js, whose tools fail each in a way of its own. Its list has two pages. With the
 * preamble of a watch before it, it says `hang` when that tool has been reached.
 */
export const mcpFakeServer = `
const { appendFileSync } = require("node:fs");
appendFileSync("starts", process.pid + "\\n");
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const tool = (name, more = {}) => ({ name, inputSchema: { type: "object" }, ...more });
const output = { type: "object", properties: { total: { type: "number" } }, required: ["total"] };
const pages = {
  first: { tools: [tool("fine"), tool("says_no"), tool("crash"), tool("hang"), tool("garbage")], nextCursor: "second" },
  second: {
    tools: [
      tool("refuses"), tool("breaks"), tool("misshapen"), tool("shape", { outputSchema: output }),
      tool("bad_schema", { inputSchema: { type: "object", properties: { order: { $ref: "orders.json" } } } }),
      tool("tasked", { execution: { taskSupport: "required" } }),
    ],
  },
};
const calls = {
  fine: (id, args) => send({ id, result: { content: [{ type: "text", text: "fine " + JSON.stringify(args) }] } }),
  says_no: (id) => send({ id, result: { isError: true, content: [{ type: "text", text: "no such order" }] } }),
  crash: () => { console.error("out of memory"); process.exit(3); },
  hang: () => { if (typeof say === "function") say("hang"); },
  garbage: () => process.stdout.write('{"what": "is this"}\\n'),
  refuses: (id) => send({ id, error: { code: -32602, message: "order_id is missing" } }),
  breaks: (id) => send({ id, error: { code: -32603, message: "disk full" } }),
  misshapen: (id) => send({ id, result: { content: 5 } }),
  shape: (id, args) => send({ id, result: { content: [], structuredContent: args } }),
};
console.log("a banner that strayed to stdout");
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    const { protocolVersion } = params;
    send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "fake", version: "1" } } });
  } else if (method === "tools/list") send({ id, result: pages[params?.cursor ?? "first"] });
  else if (method === "tools/call") calls[params.name](id, params.arguments);
});
`;

import { importFetch } from "../../packages/core/src/__fixtures__/light-fetch.js";

/**
 * A program that is started as Codex is, speaks to its model and to the MCP server as it does, and writes what it writes. The
 * agents themselves are in `pnpm test:agents`.
 */
export const fakeCodex = `#!/usr/bin/env node
${importFetch}import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { execSync } from "node:child_process";
const args = process.argv.slice(2);
const setting = (name) => args.find((arg) => arg.startsWith(name + "="))?.slice(name.length + 1) ?? "";
const home = process.env.CODEX_HOME;
const session = args[1] === "resume" ? args.at(-2) : "thread-" + readdirSync(home).length;
const memory = home + "/" + session + ".json";
const input = args[1] === "resume" ? JSON.parse(readFileSync(memory, "utf8")) : [];
const prompt = readFileSync(0, "utf8");
const version = args.includes("--newer") ? "2.0.0" : "1.9.0";
input.push({ type: "message", role: "user", content: [{ type: "input_text", text: prompt }] });
const say = (event) => console.log(JSON.stringify(event));
say({ type: "thread.started", thread_id: session });
const authorization = "Bearer " + process.env.OPENAI_API_KEY;
const post = async (url, body) =>
  (await fetch(url, { method: "POST", headers: { authorization, "content-type": "application/json", "user-agent": "codex_exec/" + version + " (system)" }, body: JSON.stringify(body) })).json();
const field = (text, name) => new RegExp(name + '="([^"]*)"').exec(text)?.[1];
const model = setting("model").slice(1, -1);
const baseUrl = field(setting("model_providers.kindlm"), "base_url");
const mcpUrl = field(setting("mcp_servers.tools"), "url");
const rpc = (method, params) => post(mcpUrl, { jsonrpc: "2.0", id: 1, method, params });
const tools = [{ type: "function", name: "exec_command", strict: false, parameters: { type: "object", properties: {} } }];
if (mcpUrl !== undefined) {
  await rpc("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "fake", version: "1" } });
  const listed = (await rpc("tools/list", {})).result.tools;
  const inner = listed.map(({ name, inputSchema }) => ({ type: "function", name, parameters: inputSchema, strict: false }));
  tools.push({ type: "namespace", name: "mcp__tools", description: "", tools: inner });
}
if (prompt === "environment") {
  say({ type: "item.completed", item: { type: "agent_message", text: JSON.stringify({ env: process.env, cwd: process.cwd(), args }) } });
  process.exit(0);
}
for (;;) {
  const { output, error } = await post(baseUrl + "/responses", { model, input, tools, stream: false });
  if (error) {
    say({ type: "turn.failed", error });
    process.exit(1);
  }
  input.push(...output);
  const calls = output.filter(({ type }) => type === "function_call");
  for (const { call_id, namespace, name, arguments: text } of calls) {
    const args = JSON.parse(text);
    const ran =
      namespace === "mcp__tools"
        ? (await rpc("tools/call", { name, arguments: args })).result.content[0].text
        : execSync(args.cmd, { encoding: "utf8" });
    input.push({ type: "function_call_output", call_id, output: ran });
  }
  if (calls.length > 0) continue;
  say({ type: "item.completed", item: { type: "agent_message", text: output[0].content[0].text } });
  break;
}
writeFileSync(memory, JSON.stringify(input));
`;

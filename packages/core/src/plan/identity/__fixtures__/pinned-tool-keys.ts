import type { Changes } from "./identity-project.js";
import { at, setup, type Row } from "./pinned-row.js";

const tool =
  (index: number) =>
  (changes: Changes): Changes =>
    at(`suites.0.tools.${index}`, changes);
const [simulated, command, http, module] = [tool(0), tool(1), tool(2), tool(3)];
export const tools: readonly Row[] = [
  ["name", simulated({ name: "look" }), "agent"],
  ["description", simulated({ description: "Looks" }), "agent"],
  ["prompt", simulated({ prompt: "Look before you leap." }), "agent"],
  ["prompt", module({ name: "one", prompt: "Look before you leap." }), "agent"],
  ["parameters", simulated({ parameters: { type: "object", properties: { id: {} } } }), "agent"],
  ["attributes", simulated({ attributes: { readonly: true } }), setup],
  ["recommendations", simulated({ recommendations: ["Wait"] }), setup],
  ["result_schema", simulated({ result_schema: { type: "object" } }), setup],
  ["timeout", simulated({ timeout: "9s" }), setup],
  ["responses", simulated({ "responses.0.return": { a: 2 } }), setup],
  ["responses", simulated({ "responses.0.when": { id: "2" } }), setup],
  ["responses", simulated({ "responses.0.when": { id: "{{order}}" } }), setup],
  ["default", simulated({ default: { return: 1 } }), setup],
  ["fallback", command({ fallback: { return: 1 } }), setup],
  ["module", module({ module: "./tools.mjs#tool" }), "agent setup check"],
  ["name", module({ name: "one" }), "agent"],
  ["command", command({ command: ["node", "tool.mjs", "--fast"] }), setup],
  ["cwd", command({ cwd: "parts" }), setup],
  ["env", command({ env: { TOKEN: "${TOKEN}", LEVEL: "1" } }), setup],
  ["url", http({ url: "http://127.0.0.1:9/y?key=${TOKEN}" }), setup],
  ["method", http({ method: "PUT" }), setup],
  ["headers", http({ headers: { authorization: "${TOKEN}", accept: "text/plain" } }), setup],
  ["body", http({ body: { id: "{{args.id}}" } }), setup],
  ["response_path", http({ response_path: "data" }), setup],
  [
    "builtin",
    { ...at("suites.0", { workspace: {} }), ...module({ module: undefined, builtin: "fs_read" }) },
    "agent setup check",
  ],
];

const server =
  (index: number) =>
  (changes: Changes): Changes =>
    at(`suites.0.mcp_servers.${index}`, changes);
const [here, there] = [server(0), server(1)];
export const servers: readonly Row[] = [
  ["name", here({ name: "files" }), "none"],
  ["command", here({ command: ["node", "server.mjs", "--all"] }), "agent setup check"],
  ["cwd", here({ cwd: "parts" }), "agent setup check"],
  ["env", here({ env: { LEVEL: "1" } }), "agent setup check"],
  ["url", there({ url: "http://127.0.0.1:10/mcp" }), "agent setup check"],
  ["headers", there({ headers: { "x-user": "me" } }), "agent setup check"],
  ["include", here({ include: ["read_*"] }), "agent"],
  ["exclude", here({ exclude: ["write_*"] }), "agent"],
  ["per", here({ per: "run" }), setup],
  ["timeout", here({ timeout: "9s" }), setup],
  ["fallback", here({ fallback: [{ tool: "*", return: 1 }] }), setup],
];

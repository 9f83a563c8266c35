import { createMcpServers } from "../../../packages/core/src/tools/mcp/create-mcp-servers.js";
import type { ProcessRunner } from "../../../packages/core/src/processes/process-runner.js";
import { success } from "../../../packages/core/src/result.js";
import type { McpServerConfig } from "../../../packages/core/src/tools/tool-config.js";
import { createSystemClock } from "../../../packages/core/src/values/clock.js";
import type { AdapterRow } from "../adapters/adapter-row.js";
import { createAdapterFamily, type AdapterFamily } from "./adapter-family.js";
import { createDice } from "./dice.js";
import { isObject } from "./find-places.js";
import { harmless, planted } from "./planted-call.js";
import { encodeWire, type Json } from "./wire.js";

/** What a server says in a session: its tools, and what each call gives. */
const session = {
  list: { tools: [planted, harmless].map(({ tool }) => ({ name: tool, inputSchema: { type: "object" } })) },
  result: { content: [{ type: "text", text: "done" }] },
};

interface Message {
  id?: number | string;
  method?: string;
  params?: Json;
}

/** A server that says this over its stdin and stdout. */
function serverSaying(said: () => unknown): ProcessRunner {
  return {
    run: ({ converse }) =>
      new Promise((resolve) => {
        const read = converse?.({
          write(line) {
            const { id, method, params } = JSON.parse(line) as Message;
            if (id === undefined) return;
            const reply = { jsonrpc: "2.0", id, ...replyTo(method, params, said()) };
            queueMicrotask(() => read?.(Buffer.from(`${JSON.stringify(reply)}\n`)));
          },
          end: () => resolve(success({ exitCode: 0, signal: null, stdout: "", stderr: "", endedBy: null })),
        });
      }),
  };
}

function replyTo(method: string | undefined, params: Json | undefined, said: unknown): Json {
  if (method === "initialize") {
    const serverInfo = { name: "shop", version: "1" };
    return { result: { protocolVersion: params?.["protocolVersion"], capabilities: { tools: {} }, serverInfo } };
  }
  const { list, result, error } = isObject(said) ? said : {};
  // Without any of them the SDK would wait for its deadline, as for any message that it does not understand.
  if (isObject(error)) return { error: { code: -32_000, message: "no", ...error } };
  const own = method === "tools/list" ? list : result;
  return { result: isObject(own) ? own : { content: own } };
}

const config: McpServerConfig = {
  name: "shop",
  connection: { kind: "stdio", command: ["shop"], cwd: ".", env: {} },
  include: ["*"],
  exclude: [],
  per: "trial",
  timeoutMs: 1_000,
  fallbacks: [],
};

/** What a server of tools says, in trials whose model calls the planted tool of it. */
export function createMcpFamily(row: AdapterRow): AdapterFamily {
  let said: unknown = session;
  const servers = createMcpServers({ processes: serverSaying(() => said), env: {}, clock: createSystemClock() });
  const family = createAdapterFamily(row, async () => {
    const opened = await servers.open([config]);
    return opened.success ? opened.data : null;
  });
  const call = encodeWire(
    family.replyOf({ text: "", toolCalls: [planted] }, false, createDice("mcp")),
    createDice("plain", 0),
  );
  return {
    name: "MCP servers",
    isCallElsewhere: true,
    replyOf: () => ({ framing: "json", messages: [{ name: null, data: session }] }),
    judge(chunks) {
      said = parsed(
        Buffer.concat(chunks)
          .toString("utf8")
          .replace(/^\uFEFF/, ""),
      );
      return family.judge([call], false);
    },
  };
}

/** What is no JSON never gets past the SDK. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return { error: { message: text } };
  }
}

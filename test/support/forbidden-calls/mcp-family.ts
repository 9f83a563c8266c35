import { createMcpServers } from "../../../packages/core/src/tools/mcp/create-mcp-servers.js";
import type { McpServerConfig } from "../../../packages/core/src/tools/tool-config.js";
import { createSystemClock } from "../../../packages/core/src/values/clock.js";
import type { AdapterRow } from "../adapters/adapter-row.js";
import { createAdapterFamily, type AdapterFamily } from "./adapter-family.js";
import { createDice } from "./dice.js";
import { isObject } from "./find-places.js";
import { noProcesses, harmless, planted } from "./planted-call.js";
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

/** A transport of the SDK with a server at its other end that says this. */
function transportSaying(said: () => unknown): unknown {
  return class {
    onmessage?: (message: unknown) => void;
    onclose?: () => void;
    async start(): Promise<void> {}
    async close(): Promise<void> {
      this.onclose?.();
    }
    async send({ id, method, params }: Message): Promise<void> {
      if (id === undefined) return;
      const reply = { jsonrpc: "2.0", id, ...replyTo(method, params, said()) };
      queueMicrotask(() => this.onmessage?.(reply));
    }
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
  connection: { kind: "http", url: "http://127.0.0.1:9/mcp", headers: {} },
  include: ["*"],
  exclude: [],
  per: "trial",
  timeoutMs: 1_000,
  fallbacks: [],
};

/** What a server of tools says, in trials whose model calls the planted tool of it. */
export function createMcpFamily(row: AdapterRow): AdapterFamily {
  let said: unknown = session;
  const transport = transportSaying(() => said);
  const servers = createMcpServers({ processes: noProcesses, env: {}, clock: createSystemClock() }, async (name) => {
    const loaded = (await import(name)) as Json;
    return name.endsWith("streamableHttp.js") ? { ...loaded, StreamableHTTPClientTransport: transport } : loaded;
  });
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

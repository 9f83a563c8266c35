import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { attempt } from "../../errors/boundary.js";
import { messageOf } from "../../errors/message-of.js";
import { kindlmError } from "../../errors/kindlm-error.js";
import { failure, success, type Result } from "../../result.js";
import { kindlmVersion } from "../../version.js";
import type { McpServerConfig } from "../tool-config.js";
import type { HandlerOutcome } from "../tool-handler.js";
import type { ToolPorts } from "../tool-ports.js";
import { createStdioTransport, type StdioPorts } from "./create-stdio-transport.js";
import type { McpSdk } from "./load-mcp-sdk.js";
import { listMcpTools, type McpTool } from "./list-mcp-tools.js";
import { readMcpResult } from "./read-mcp-result.js";

/** An open connection to a server, with the tools that it listed. */
export interface McpConnection {
  readonly tools: readonly McpTool[];
  /** True once the server is gone, so that no call can reach it any more. */
  readonly isLost: boolean;
  call(tool: string, args: unknown, signal: AbortSignal): Promise<HandlerOutcome>;
  close(): Promise<void>;
}

/** The runtime ends a call at its deadline; the SDK's own is never the first. */
const noDeadlineMs = 2 ** 31 - 1;
const invalidParams = -32602;

/** Starts or reaches the server, shakes hands and lists its tools. Fails with ENGINE_FIXTURE_ERROR; nothing is left. */
export async function connectMcp(
  config: McpServerConfig,
  sdk: McpSdk,
  ports: StdioPorts & Pick<ToolPorts, "env">,
  signal: AbortSignal,
): Promise<Result<McpConnection>> {
  const client = new sdk.Client({ name: "kindlm", version: kindlmVersion });
  const state = { isLost: false };
  const waiting = new Set<(problem: Error) => void>();
  /** Fails what waits for an answer that will not come. */
  const lose = (problem: string): void => {
    const told = [...waiting];
    waiting.clear();
    for (const reject of told) reject(new Error(problem));
  };
  const { connection } = config;
  const stdio =
    connection.kind === "http"
      ? null
      : createStdioTransport(
          { command: connection.command, cwd: connection.cwd, env: { ...ports.env, ...connection.env } },
          ports,
          sdk,
          lose,
        );
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no other way to be listened to
  client.onclose = () => {
    state.isLost = true;
    if (stdio !== null) lose(stdio.lastWords());
  };
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- as above
  client.onerror = ({ message }) => {
    // The SDK goes on waiting for answers over a stream that it could not open again.
    if (!/reconnect/i.test(message)) return;
    state.isLost = true;
    lose(message);
  };

  /** Waits for the SDK, but no longer than the server is there and keeps to the protocol. */
  const ask = <T>(action: () => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      waiting.add(reject);
      void action()
        .then(resolve, reject)
        .finally(() => waiting.delete(reject));
    });

  const close = async (): Promise<void> => {
    await attempt(() => client.close(), unexpected);
    // The SDK does not close a transport whose handshake failed.
    await stdio?.close();
  };

  const options = { signal, timeout: noDeadlineMs, maxTotalTimeout: noDeadlineMs };
  const connected = await attempt(async () => {
    const transport = stdio ?? openHttp(sdk, connection);
    await ask(() => client.connect(transport, options));
    return ask(() => listMcpTools(client, options));
  }, unexpected);
  const opened = connected.success ? connected.data : connected;
  if (!opened.success) {
    // Asked before it is closed: how it ends then is no reason.
    const reason = stdio?.lastWords() || opened.error.message;
    await close();
    const message = `The MCP server "${config.name}" cannot be used: ${reason}`;
    return failure(kindlmError("ENGINE_FIXTURE_ERROR", message, { cause: opened.error.cause }));
  }
  return success({
    tools: opened.data,
    close,
    get isLost() {
      return state.isLost;
    },
    async call(tool, args, callSignal) {
      const request = { method: "tools/call" as const, params: { name: tool, arguments: argumentsOf(args) } };
      const answered = await attempt(
        () => ask(() => client.request(request, sdk.CallToolResultSchema, { ...options, signal: callSignal })),
        unexpected,
      );
      if (answered.success)
        return readMcpResult(
          answered.data,
          opened.data.find(({ name }) => name === tool),
          config.name,
        );
      const { cause, message } = answered.error;
      if (cause instanceof sdk.McpError) {
        if (!state.isLost) return failed(cause.code === invalidParams ? "validation" : "runtime", message);
      } else if (connection.kind === "http" && !callSignal.aborted) {
        // The request did not get through, or the server does not know the session any more.
        state.isLost = true;
      }
      const problem = stdio?.lastWords() || message;
      return failed("runtime", `The MCP server "${config.name}" did not answer the call: ${problem}`);
    },
  });
}

type Ended = Extract<HandlerOutcome, { ok: false }>["failure"];

function failed(errorType: Ended["errorType"], message: string): HandlerOutcome {
  return { ok: false, failure: { errorType, message } };
}

function openHttp(sdk: McpSdk, connection: McpServerConfig["connection"]): Transport {
  const { url, headers } = connection.kind === "http" ? connection : { url: "", headers: {} };
  return new sdk.StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
}

function argumentsOf(args: unknown): Parameters<Client["callTool"]>[0]["arguments"] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked against the tool's schema, an object
  return (args ?? {}) as Parameters<Client["callTool"]>[0]["arguments"];
}

function unexpected(cause: unknown) {
  // A failed fetch has its reason in its cause.
  const reason = cause instanceof Error && cause.cause instanceof Error ? `: ${cause.cause.message}` : "";
  return kindlmError("UNKNOWN_ERROR", messageOf(cause) + reason, { cause });
}

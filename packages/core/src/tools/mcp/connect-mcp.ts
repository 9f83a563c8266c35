import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type CallToolResult, CallToolResultSchema, McpError } from "@modelcontextprotocol/sdk/types.js";
import { isRecord } from "../../values/json.js";
import { attempt, attemptSync } from "../../errors/boundary.js";
import { messageOf } from "../../errors/message-of.js";
import { kindlmError } from "../../errors/kindlm-error.js";
import { failure, success, type Result } from "../../result.js";
import { kindlmVersion } from "../../version.js";
import type { McpServerConfig } from "../tool-config.js";
import type { HandlerOutcome } from "../tool-handler.js";
import type { ToolPorts } from "../tool-ports.js";
import { createStdioTransport, type StdioPorts } from "./create-stdio-transport.js";
import { listMcpTools, type McpTool } from "./list-mcp-tools.js";
import { compileSchema } from "../../json-schema/compile-schema.js";
import { toJsonValue } from "../../values/to-json.js";
import { brokenFixture } from "../render-answer.js";

/** The runtime ends a call at its deadline; the SDK's own is never the first. */
const noDeadlineMs = 2 ** 31 - 1;
const invalidParams = -32602;

/** Nothing asks it: `readMcpResult` checks the results. The default of the SDK is another ajv. */
const noValidator = {
  getValidator: () => () => ({ valid: false, data: undefined, errorMessage: "not checked" }) as const,
};

type ConnectPorts = StdioPorts & Pick<ToolPorts, "env">;

/** Starts or reaches the server, shakes hands and lists its tools. Fails with ENGINE_FIXTURE_ERROR; nothing is left. */
export async function connectMcp(
  config: McpServerConfig,
  ports: ConnectPorts,
  signal: AbortSignal,
): Promise<Result<McpConnection>> {
  const connection = new McpConnection(config, ports, signal);
  const opened = await connection.open();
  return opened.success ? success(connection) : opened;
}

/** An open connection to a server, with the tools that it listed. */
export class McpConnection {
  readonly #config: McpServerConfig;
  readonly #client: Client;
  readonly #stdio: ReturnType<typeof createStdioTransport> | null;
  readonly #options: { signal: AbortSignal; timeout: number; maxTotalTimeout: number };
  /** Fails what waits for an answer. */
  readonly #waiting = new Set<(problem: Error) => void>();
  #tools: readonly McpTool[] = [];
  #isLost = false;

  constructor(config: McpServerConfig, ports: ConnectPorts, signal: AbortSignal) {
    this.#config = config;
    this.#client = new Client({ name: "kindlm", version: kindlmVersion }, { jsonSchemaValidator: noValidator });
    this.#stdio = this.#openStdio(ports);
    this.#options = { signal, timeout: noDeadlineMs, maxTotalTimeout: noDeadlineMs };
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no other way to be listened to
    this.#client.onclose = () => {
      this.#isLost = true;
      if (this.#stdio !== null) this.#lose(this.#stdio.lastWords());
    };
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- as above
    this.#client.onerror = ({ message }) => {
      // The SDK goes on waiting for answers over a stream that it could not open again.
      if (!/reconnect/i.test(message)) return;
      this.#isLost = true;
      this.#lose(message);
    };
  }

  get tools(): readonly McpTool[] {
    return this.#tools;
  }

  /** True once the server is gone, so that no call can reach it any longer. */
  get isLost(): boolean {
    return this.#isLost;
  }

  async open(): Promise<Result<void>> {
    const { name, connection } = this.#config;
    const connected = await attempt(async () => {
      const transport = this.#stdio ?? openHttp(connection);
      await this.#ask(() => this.#client.connect(transport, this.#options));
      return this.#ask(() => listMcpTools(this.#client, this.#options));
    }, unexpected);
    const listed = connected.success ? connected.data : connected;
    if (listed.success) {
      this.#tools = listed.data;
      return success(undefined);
    }
    // Read before it is closed: how it ends then is not the reason.
    const reason = this.#stdio?.lastWords() || listed.error.message;
    await this.close();
    const message = `The MCP server "${name}" cannot be used: ${reason}`;
    return failure(kindlmError("ENGINE_FIXTURE_ERROR", message, { cause: listed.error.cause }));
  }

  async call(tool: string, args: unknown, signal: AbortSignal): Promise<HandlerOutcome> {
    const { name, connection } = this.#config;
    const request = { method: "tools/call" as const, params: { name: tool, arguments: argumentsOf(args) } };
    const options = { ...this.#options, signal };
    const answered = await attempt(
      () => this.#ask(() => this.#client.request(request, CallToolResultSchema, options)),
      unexpected,
    );
    if (answered.success) {
      const listed = this.#tools.find((one) => one.name === tool);
      return readMcpResult(answered.data, listed, name);
    }
    const { cause, message } = answered.error;
    if (cause instanceof McpError) {
      if (!this.#isLost) return failed(cause.code === invalidParams ? "validation" : "runtime", message);
    } else if (connection.kind === "http" && !signal.aborted) {
      // The request did not get through, or the server no longer knows the session.
      this.#isLost = true;
    }
    const problem = this.#stdio?.lastWords() || message;
    return failed("runtime", `The MCP server "${name}" did not answer the call: ${problem}`);
  }

  async close(): Promise<void> {
    await attempt(() => this.#client.close(), unexpected);
    // The SDK does not close a transport whose handshake failed.
    await this.#stdio?.close();
  }

  #openStdio(ports: ConnectPorts): ReturnType<typeof createStdioTransport> | null {
    const { connection } = this.#config;
    if (connection.kind === "http") return null;
    const { command, cwd, env } = connection;
    const started = { command, cwd, env: { ...ports.env, ...env } };
    return createStdioTransport(started, ports, (problem) => this.#lose(problem));
  }

  /** Waits for the SDK, but no longer than the server is there and keeps to the protocol. */
  #ask<T>(action: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject);
      void action()
        .then(resolve, reject)
        .finally(() => this.#waiting.delete(reject));
    });
  }

  /** Fails what waits for an answer that will not come. */
  #lose(problem: string): void {
    const told = [...this.#waiting];
    this.#waiting.clear();
    for (const reject of told) reject(new Error(problem));
  }
}

type Ended = Extract<HandlerOutcome, { ok: false }>["failure"];

function failed(errorType: Ended["errorType"], message: string): HandlerOutcome {
  return { ok: false, failure: { errorType, message } };
}

function openHttp(connection: McpServerConfig["connection"]): Transport {
  const { url, headers } = connection.kind === "http" ? connection : { url: "", headers: {} };
  return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
}

/** Checked against the schema of the tool, which is that of an object. */
function argumentsOf(args: unknown): Record<string, unknown> {
  return isRecord(args) ? args : {};
}

function unexpected(cause: unknown) {
  // A failed fetch has its reason in its cause.
  const reason = cause instanceof Error && cause.cause instanceof Error ? `: ${cause.cause.message}` : "";
  return kindlmError("UNKNOWN_ERROR", messageOf(cause) + reason, { cause });
}

/**
 * The result of a call: the structured content where there is one, else the text. `isError` is a `logical` failure;
 * content that breaks the schema which the server itself listed is a `runtime` one.
 */
function readMcpResult(result: CallToolResult, tool: McpTool | undefined, server: string): HandlerOutcome {
  const text = result.content.map(renderPart).join("\n");
  if (result.isError === true) {
    return { ok: false, failure: { errorType: "logical", message: text === "" ? "The tool failed" : text } };
  }
  const problem = attemptSync(
    () => (tool?.output === undefined ? null : violationOf(result.structuredContent, tool.output)),
    messageOf,
  );
  if (!problem.success) {
    return brokenFixture(`The MCP server "${server}" has an output schema that cannot be used: ${problem.error}`);
  }
  if (problem.data !== null) {
    const message = `The MCP server "${server}" broke its own output schema: ${problem.data}`;
    return { ok: false, failure: { errorType: "runtime", message } };
  }
  return { ok: true, value: result.structuredContent === undefined ? text : toJsonValue(result.structuredContent) };
}

function violationOf(content: unknown, schema: NonNullable<McpTool["output"]>): string | null {
  if (content === undefined) return "there is no structured content";
  const validator = compileSchema(schema);
  if (!validator.success) return null;
  const [violation] = validator.data.validate(content);
  return violation === undefined ? null : `${violation.path} ${violation.message}`.trim();
}

/** Content as text. Images and sounds are named, not shown: few models take them as the result of a tool. */
function renderPart(part: CallToolResult["content"][number]): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "image":
    case "audio":
      return `[${part.type} ${part.mimeType}, ${part.data.length} characters of base64]`;
    case "resource_link":
      return `[resource ${part.uri}]`;
    case "resource":
      return "text" in part.resource ? part.resource.text : `[resource ${part.resource.uri}]`;
  }
}

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type CallToolResult, CallToolResultSchema, McpError } from "@modelcontextprotocol/sdk/types.js";
import { isRecord } from "../../values/json.js";
import { attempt, attemptSync } from "../../errors/boundary.js";
import { messageOf } from "../../errors/message-of.js";
import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import { failure, success, type Result } from "../../result.js";
import { kindlmVersion } from "../../version.js";
import type { McpServerConfig } from "../tool-config.js";
import type { HandlerContext, HandlerOutcome } from "../tool-handler.js";
import type { ToolPorts } from "../tool-ports.js";
import { createStdioTransport, type StdioPorts } from "./create-stdio-transport.js";
import type { DirectCall } from "./direct-call.js";
import { listMcpTools, type McpTool } from "./list-mcp-tools.js";
import { ProgressListeners } from "./progress-listeners.js";
import { renderContent } from "./render-content.js";
import { listenTo, requestDirectly } from "./request-directly.js";
import { violationOf } from "./violation-of.js";
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

/** Starts or reaches the server and shakes hands. Fails with ENGINE_FIXTURE_ERROR; nothing is left. */
export async function connectMcp(
  config: McpServerConfig,
  ports: ConnectPorts,
  signal: AbortSignal,
): Promise<Result<McpConnection>> {
  const connection = new McpConnection(config, ports, signal);
  const opened = await connection.open();
  return opened.success ? success(connection) : opened;
}

/** An open connection to a server. */
export class McpConnection {
  readonly #config: McpServerConfig;
  readonly #client: Client;
  readonly #stdio: ReturnType<typeof createStdioTransport> | null;
  readonly #options: { signal: AbortSignal; timeout: number; maxTotalTimeout: number };
  /** Fails what waits for an answer. */
  readonly #waiting = new Set<(problem: Error) => void>();
  readonly #progress: ProgressListeners;
  #listed: Promise<Result<readonly McpTool[]>> | null = null;
  #isLost = false;

  constructor(config: McpServerConfig, ports: ConnectPorts, signal: AbortSignal) {
    this.#config = config;
    this.#client = new Client({ name: "kindlm", version: kindlmVersion }, { jsonSchemaValidator: noValidator });
    this.#progress = new ProgressListeners(this.#client);
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

  /** True once the server is gone, so that no call can reach it any longer. */
  get isLost(): boolean {
    return this.#isLost;
  }

  open(): Promise<Result<void>> {
    return this.#prepare(async () => {
      const transport = this.#stdio ?? openHttp(this.#config.connection);
      await this.#ask(() => this.#client.connect(transport, this.#options));
      return success(undefined);
    });
  }

  /** Its tools, asked for once. Fails with ENGINE_FIXTURE_ERROR, and the connection is closed then. */
  list(signal: AbortSignal): Promise<Result<readonly McpTool[]>> {
    const options = { ...this.#options, signal };
    this.#listed ??= this.#prepare(() => this.#ask(() => listMcpTools(this.#client, options)));
    return this.#listed;
  }

  async call(tool: string, args: unknown, signal: AbortSignal): Promise<HandlerOutcome> {
    const request = { method: "tools/call" as const, params: { name: tool, arguments: argumentsOf(args) } };
    const options = { ...this.#options, signal };
    const answered = await attempt(
      () => this.#ask(() => this.#client.request(request, CallToolResultSchema, options)),
      unexpected,
    );
    if (!answered.success) return this.#failureOf(answered.error, signal);
    const listed = await this.#listed;
    const tools = listed?.success === true ? listed.data : [];
    return readMcpResult(
      answered.data,
      tools.find((one) => one.name === tool),
      this.#config.name,
    );
  }

  /** Sends a request as it is, and gives the whole result. What the server says in the meantime are events of the call. */
  async request(call: DirectCall, { signal, emit }: Pick<HandlerContext, "signal" | "emit">): Promise<HandlerOutcome> {
    // Others speak over the connection of a run, so nobody knows whom its log is for.
    const stopListening = this.#config.per === "trial" ? listenTo(this.#client, emit) : () => undefined;
    const options = { ...this.#options, signal };
    const progressToken = this.#progress.follow(emit);
    const answered = await attempt(
      () => this.#ask(() => requestDirectly(this.#client, call, { ...options, progressToken, emit })),
      unexpected,
    );
    this.#progress.leave(progressToken);
    stopListening();
    if (answered.success) return answered.data;
    const { cause } = answered.error;
    const isAnswer = cause instanceof McpError && !this.#isLost;
    emit("error", isAnswer ? { kind: "protocol", code: cause.code, data: cause.data } : { kind: "connection" });
    return this.#failureOf(answered.error, signal);
  }

  async close(): Promise<void> {
    await attempt(() => this.#client.close(), unexpected);
    // The SDK does not close a transport whose handshake failed.
    await this.#stdio?.close();
  }

  async #prepare<T>(action: () => Promise<Result<T>>): Promise<Result<T>> {
    const tried = await attempt(action, unexpected);
    const prepared = tried.success ? tried.data : tried;
    if (prepared.success) return prepared;
    // Read before it is closed: how it ends then is not the reason.
    const reason = this.#stdio?.lastWords() || prepared.error.message;
    await this.close();
    const message = `The MCP server "${this.#config.name}" cannot be used: ${reason}`;
    return failure(kindlmError("ENGINE_FIXTURE_ERROR", message, { cause: prepared.error.cause }));
  }

  #failureOf({ cause, message }: KindlmError, signal: AbortSignal): HandlerOutcome {
    const { name, connection } = this.#config;
    if (cause instanceof McpError) {
      if (!this.#isLost) return failed(cause.code === invalidParams ? "validation" : "runtime", message);
    } else if (connection.kind === "http" && !signal.aborted) {
      // The request did not get through, or the server no longer knows the session.
      this.#isLost = true;
    }
    const problem = this.#stdio?.lastWords() || message;
    return failed("runtime", `The MCP server "${name}" did not answer the call: ${problem}`);
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
  const text = renderContent(result.content);
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

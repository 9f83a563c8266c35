import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import { failure, type Result } from "../../result.js";
import type { Clock } from "../../values/clock.js";
import { renderDuration } from "../../values/duration.js";
import type { McpServerConfig } from "../tool-config.js";
import type { HandlerContext, HandlerOutcome } from "../tool-handler.js";
import type { ToolPorts } from "../tool-ports.js";
import type { McpConnection } from "./connect-mcp.js";
import type { DirectCall } from "./direct-call.js";
import type { McpTool } from "./list-mcp-tools.js";
import { withAnySignal } from "./with-any-signal.js";

export type McpPorts = Pick<ToolPorts, "processes" | "env"> & { clock: Clock };

/** How long a server may take to start and shake hands, and then to list its tools. */
const openMs = 60_000;

/** One server for as long as the config lets it live. */
export interface McpLink {
  /** The connection, made at the first use. */
  open(): Promise<Result<McpConnection>>;
  /** The tools, asked for at the first use. */
  list(): Promise<Result<readonly McpTool[]>>;
  /** Calls a tool; a server that is gone is a tool error. */
  call(tool: string, args: unknown, signal: AbortSignal): Promise<HandlerOutcome>;
  /** Sends a request as it is; a server that is gone is a tool error. */
  request(call: DirectCall, context: Pick<HandlerContext, "signal" | "emit">): Promise<HandlerOutcome>;
  /** Rejects as the action does, whose signal aborts once opening a server has taken too long, or the server is not needed any longer. */
  inTime<T>(action: (signal: AbortSignal) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Starts a server at most once in a trial, whose state would be lost, and twice in a run, so one crash does not cost all later trials. */
export function createMcpLink(config: McpServerConfig, ports: McpPorts): McpLink {
  const { name: server } = config;
  const maxConnections = config.per === "run" ? 2 : 1;
  const life = new AbortController();
  let current: Promise<Result<McpConnection>> | null = null;
  let made = 0;
  const inTime = createOpeningDeadline(ports.clock, life.signal);

  const connect = async (): Promise<Result<McpConnection>> => {
    // With the client of the SDK, which few runs need.
    const { connectMcp } = await import("./connect-mcp.js");
    return inTime((signal) => connectMcp(config, ports, signal));
  };

  const open = async (): Promise<Result<McpConnection>> => {
    const before = current;
    const known = await before;
    if (known?.success === true && !known.data.isLost) return known;
    // Another caller started to connect in the meantime.
    if (current !== before) return open();
    if (life.signal.aborted) return failure(gone(`The MCP server "${server}" has been closed`));
    if (made >= maxConnections) {
      const times = made === 1 ? "is not started again in this trial" : `was started ${made} times and is not again`;
      return known?.success === false ? known : failure(gone(`The MCP server "${server}" is gone and ${times}`));
    }
    made += 1;
    current = connect();
    if (known?.success === true) await known.data.close();
    return current;
  };

  const list = async (): Promise<Result<readonly McpTool[]>> => {
    const opened = await open();
    if (!opened.success) return opened;
    const listed = await inTime((signal) => opened.data.list(signal));
    if (!listed.success) current = Promise.resolve(listed);
    return listed;
  };

  return {
    open,
    list,
    inTime,
    async call(tool, args, signal) {
      // What a result must look like is in the list.
      const [opened, listed] = [await open(), await list()];
      if (!opened.success) return notThere(opened.error);
      return listed.success ? opened.data.call(tool, args, signal) : notThere(listed.error);
    },
    async request(call, context) {
      const opened = await open();
      return opened.success ? opened.data.request(call, context) : notThere(opened.error);
    },
    async close() {
      life.abort();
      const opened = await current;
      if (opened?.success === true) await opened.data.close();
    },
  };
}

function createOpeningDeadline(clock: Clock, life: AbortSignal): McpLink["inTime"] {
  return async (action) => {
    const timer = new AbortController();
    const cancel = clock.after(openMs, () =>
      timer.abort(new Error(`it did not answer within ${renderDuration(openMs)}`)),
    );
    return withAnySignal([life, timer.signal], action).finally(cancel);
  };
}

function notThere({ message }: KindlmError): HandlerOutcome {
  return { ok: false, failure: { errorType: "runtime", message } };
}

function gone(message: string): KindlmError {
  return kindlmError("ENGINE_FIXTURE_ERROR", message);
}

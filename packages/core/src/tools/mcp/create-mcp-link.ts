import { failure, type Result } from "../../result.js";
import { kindlmError } from "../../errors/kindlm-error.js";
import type { HandlerOutcome } from "../tool-handler.js";
import type { McpConnection } from "./connect-mcp.js";

/** One server for as long as the config lets it live. */
export interface McpLink {
  /** The connection, made at the first use. */
  open(): Promise<Result<McpConnection>>;
  /** Calls a tool; a server that is gone is a tool error. */
  call(tool: string, args: unknown, signal: AbortSignal): Promise<HandlerOutcome>;
  close(): Promise<void>;
}

/**
 * @param connect - makes a connection; gives up when the signal aborts
 * @param maxConnections - how often the server may be started: 1 for one of a trial, whose state would be lost, 2 for one
 *   of a run, so that a single crash does not cost all later trials
 */
export function createMcpLink(
  server: string,
  connect: (signal: AbortSignal) => Promise<Result<McpConnection>>,
  maxConnections: number,
): McpLink {
  const life = new AbortController();
  let current: Promise<Result<McpConnection>> | null = null;
  let made = 0;

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
    current = connect(life.signal);
    if (known?.success === true) await known.data.close();
    return current;
  };

  return {
    open,
    async call(tool, args, signal) {
      const opened = await open();
      if (opened.success) return opened.data.call(tool, args, signal);
      return { ok: false, failure: { errorType: "runtime", message: opened.error.message } };
    },
    async close() {
      life.abort();
      const opened = await current;
      if (opened?.success === true) await opened.data.close();
    },
  };
}

function gone(message: string) {
  return kindlmError("ENGINE_FIXTURE_ERROR", message);
}

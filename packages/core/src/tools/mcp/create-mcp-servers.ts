import { kindlmError } from "../../errors/kindlm-error.js";
import { failure, success, type Result } from "../../result.js";
import type { Clock } from "../../values/clock.js";
import { renderDuration } from "../../values/duration.js";
import { matchesNameGlob } from "../../values/name-glob.js";
import { didYouMean } from "../../values/nearest-name.js";
import { withAnySignal } from "./with-any-signal.js";
import type { McpServerConfig, OpenTool } from "../tool-config.js";
import type { ToolLists } from "../tool-lists.js";
import type { ToolPorts } from "../tool-ports.js";
import type { McpConnection } from "./connect-mcp.js";
import type { McpTool } from "./list-mcp-tools.js";
import type { HandlerOutcome } from "../tool-handler.js";

/** The MCP servers of a run. */
export interface McpServers {
  /**
   * The tools of these servers for one trial. A server whose list is in `lists` is started at its first call alone.
   * `release` lets go of what is the trial's own, without waiting for it.
   */
  open(
    servers: readonly McpServerConfig[],
    lists?: ToolLists | null,
  ): Promise<Result<{ tools: readonly OpenTool[]; release(): void }>>;
  /** Ends every server; resolves when no process of theirs is left. */
  close(): Promise<void>;
}

/** How long a server may take to start, shake hands and list its tools. */
const openMs = 60_000;

export function createMcpServers(ports: Pick<ToolPorts, "processes" | "env"> & { clock: Clock }): McpServers {
  const ofRun = new Map<McpServerConfig, McpLink>();
  const links = new Set<McpLink>();
  let isClosed = false;

  const linkOf = (config: McpServerConfig): McpLink => {
    const known = ofRun.get(config);
    if (known !== undefined) return known;
    const link = createMcpLink(config.name, (life) => connectInTime(config, ports, life), config.per === "run" ? 2 : 1);
    if (config.per === "run") ofRun.set(config, link);
    links.add(link);
    return link;
  };

  const end = async (link: McpLink): Promise<void> => {
    await link.close();
    links.delete(link);
  };

  return {
    async open(servers, lists = null) {
      const own: McpLink[] = [];
      const release = (): void => own.forEach((link) => void end(link));
      const tools: OpenTool[] = [];
      for (const config of servers) {
        if (isClosed) return failure(kindlmError("ENGINE_ABORTED", "The run has ended"));
        const link = linkOf(config);
        if (config.per === "trial") own.push(link);
        // A server may build on what the one before it has made.
        const listed = await listOf(config.name, link, lists);
        const taken = listed.success ? takeTools(config, listed.data, link) : listed;
        if (!taken.success) {
          release();
          return taken;
        }
        tools.push(...taken.data);
      }
      return success({ tools, release });
    },
    async close() {
      isClosed = true;
      await Promise.all([...links].map(end));
    },
  };
}

async function connectInTime(
  config: McpServerConfig,
  ports: Parameters<typeof createMcpServers>[0],
  life: AbortSignal,
): Promise<Result<McpConnection>> {
  // With the client of the SDK, which few runs need.
  const { connectMcp } = await import("./connect-mcp.js");
  const timer = new AbortController();
  const cancel = ports.clock.after(openMs, () =>
    timer.abort(new Error(`it did not answer within ${renderDuration(openMs)}`)),
  );
  const connected = await withAnySignal([life, timer.signal], (signal) => connectMcp(config, ports, signal));
  cancel();
  return connected;
}

async function listOf(server: string, link: McpLink, lists: ToolLists | null): Promise<Result<readonly McpTool[]>> {
  const source = `mcp ${server}`;
  const recalled = lists === null ? success(null) : await lists.recall(source);
  if (!recalled.success) return recalled;
  if (recalled.data !== null) return success(recalled.data);
  const opened = await link.open();
  if (!opened.success) return opened;
  lists?.keep(source, opened.data.tools);
  return success(opened.data.tools);
}

/** The tools that the config takes; a name of `include` that no tool has is most likely misspelt. */
function takeTools(
  { name: server, include, exclude, timeoutMs, fallbacks }: McpServerConfig,
  tools: readonly McpTool[],
  link: McpLink,
): Result<readonly OpenTool[]> {
  const names = tools.map(({ name }) => name);
  const needed = [...include, ...fallbacks.map(({ tool }) => tool)];
  const unknown = needed.find((glob) => !names.some((name) => matchesNameGlob(glob, name)));
  if (unknown !== undefined && unknown !== "*") {
    const hint = didYouMean(unknown, names) ?? `It has: ${names.join(", ") || "none"}`;
    const message = `The MCP server "${server}" has no tool "${unknown}". ${hint}`;
    return failure(kindlmError("ENGINE_FIXTURE_ERROR", message));
  }
  const isIn = (globs: readonly string[], name: string): boolean => globs.some((glob) => matchesNameGlob(glob, name));
  const taken = tools.filter(({ name }) => isIn(include, name) && !isIn(exclude, name));
  return success(
    taken.map(({ output: _output, ...tool }) => ({
      ...tool,
      ...fallbackOf(tool.name, fallbacks),
      kind: "open",
      recommendations: {},
      timeoutMs,
      createHandler: () => ({ execute: (args, { signal }) => link.call(tool.name, args, signal) }),
    })),
  );
}

function fallbackOf(name: string, fallbacks: McpServerConfig["fallbacks"]): Pick<OpenTool, "fallback"> {
  const found = fallbacks.find(({ tool }) => matchesNameGlob(tool, name));
  return found === undefined ? {} : { fallback: found.fallback };
}

/** One server for as long as the config lets it live. */
interface McpLink {
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
function createMcpLink(
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

import { kindlmError } from "../../errors/kindlm-error.js";
import { failure, success, type Result } from "../../result.js";
import { matchesNameGlob } from "../../values/name-glob.js";
import { didYouMean } from "../../values/nearest-name.js";
import type { McpServerConfig, OpenTool } from "../tool-config.js";
import type { ToolLists } from "../tool-lists.js";
import type { McpTool } from "./list-mcp-tools.js";
import { openDirectTools, type DirectUse } from "./open-direct-tools.js";
import { createMcpLink, type McpLink, type McpPorts } from "./mcp-link.js";

/** `release` lets go of what is the trial's own, without waiting for it. */
type Opening = Result<{ tools: readonly OpenTool[]; release(): void }>;

/** The MCP servers of a run. */
export interface McpServers {
  /** The tools of these servers for one trial. A server whose list is in `lists` is started at its first call alone. */
  open(servers: readonly McpServerConfig[], lists?: ToolLists | null): Promise<Opening>;
  /** The tools that a server under test is called by, as {@link openDirectTools} has them. */
  openDirect(server: McpServerConfig, use: DirectUse, lists: ToolLists | null): Promise<Opening>;
  /** Ends every server; resolves when no process of theirs is left. */
  close(): Promise<void>;
}

export function createMcpServers(ports: McpPorts): McpServers {
  const ofRun = new Map<McpServerConfig, McpLink>();
  const links = new Set<McpLink>();
  let isClosed = false;

  const linkOf = (config: McpServerConfig): McpLink => {
    const known = ofRun.get(config);
    if (known !== undefined) return known;
    const link = createMcpLink(config, ports);
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
    async openDirect(config, use, lists) {
      if (isClosed) return failure(kindlmError("ENGINE_ABORTED", "The run has ended"));
      const link = linkOf(config);
      const release = (): void => void (config.per === "trial" && end(link));
      const opened = await openDirectTools(config, use, link, lists);
      if (!opened.success) release();
      return opened.success ? success({ tools: opened.data, release }) : opened;
    },
    async close() {
      isClosed = true;
      await Promise.all([...links].map(end));
    },
  };
}

async function listOf(server: string, link: McpLink, lists: ToolLists | null): Promise<Result<readonly McpTool[]>> {
  const source = `mcp ${server}`;
  const recalled = lists === null ? success(null) : await lists.recall(source);
  if (!recalled.success) return recalled;
  if (recalled.data !== null) return success(recalled.data);
  const listed = await link.list();
  if (listed.success) lists?.keep(source, listed.data);
  return listed;
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

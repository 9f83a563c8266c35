import { onTestFinished } from "vitest";
import { createManualClock } from "../../packages/core/src/__fixtures__/manual-clock.js";
import { sharedModules } from "../../packages/core/src/__fixtures__/shared-modules.js";
import { createProcessRunner } from "../../packages/core/src/processes/node-process-runner.js";
import { createUndiciTransport } from "../../packages/core/src/providers/http/undici-transport.js";
import { ToolRunner } from "../../packages/core/src/tools/tool-runner.js";
import { createMcpServers } from "../../packages/core/src/tools/mcp/create-mcp-servers.js";
import { mcpServerSchema } from "../../packages/core/src/tools/mcp/mcp-server-schema.js";
import type { McpServerConfig, RunnableTool } from "../../packages/core/src/tools/tool-config.js";
import type { ToolInvocation } from "../../packages/core/src/tools/tool-runtime.js";
import { toolSchema } from "../../packages/core/src/tools/tool-schema.js";
import { openTools } from "../../packages/core/src/tools/registry.js";
import { createSystemClock, type Clock } from "../../packages/core/src/values/clock.js";

const systemClock = createSystemClock();

/** Deadline of a call, where its tool has none of its own. */
export const callMs = 60_000;

export type CallTool = (tool: string, args?: unknown, signal?: AbortSignal) => Promise<ToolInvocation>;

/** Calls one of the tools. Deadlines of calls pass when the clock is moved on, and never because the machine is busy. */
export function callerOf(tools: readonly RunnableTool[], callClock = createManualClock()): CallTool {
  const runtime = new ToolRunner({
    tools,
    style: "envelope",
    recommendations: null,
    timeoutMs: callMs,
    clock: callClock,
    scope: { city: "Bonn" },
  });
  return (tool, args = {}, signal = new AbortController().signal) =>
    runtime.invoke({ id: "c1", tool, args }, { signal });
}

/** The tools of entries as they are written, with the real world around them. */
export async function openWritten(
  entries: readonly object[],
  env: Record<string, string> = {},
): Promise<readonly RunnableTool[]> {
  const http = createUndiciTransport(systemClock);
  onTestFinished(() => http.close());
  const modules = sharedModules();
  const { signal } = new AbortController();
  const ports = {
    http,
    processes: createProcessRunner(systemClock),
    env,
    modules,
    signal,
    workspace: null,
    skills: null,
    delegate: null,
  };
  const opened = await openTools(
    entries.map((entry) => toolSchema.parse(entry)),
    ports,
  );
  if (!opened.success) throw new Error(opened.error.message);
  return opened.data;
}

interface McpOptions {
  clock?: Clock;
  /** Registers what ends the servers. Default: they end with the test. */
  whenFinished?: (end: () => Promise<void>) => void;
}

/** The MCP servers of a run. */
export function mcpWorld({ clock = systemClock, whenFinished = onTestFinished }: McpOptions = {}) {
  const servers = createMcpServers({ clock, processes: createProcessRunner(clock), env: process.env });
  whenFinished(() => servers.close());
  return {
    servers,
    read: (written: object): McpServerConfig => mcpServerSchema.parse(written),
    async open(...configs: readonly McpServerConfig[]) {
      const opened = await servers.open(configs);
      if (!opened.success) throw new Error(opened.error.message);
      return opened.data;
    },
  };
}

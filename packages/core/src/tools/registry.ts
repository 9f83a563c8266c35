import { kindlmError } from "../errors/kindlm-error.js";
import { failure, success, type Result } from "../result.js";
import { BuiltinSession } from "./builtin/builtin-session.js";
import { openBuiltinTools } from "./builtin/open-builtin-tools.js";
import { openCommandTool } from "./command/open-command-tool.js";
import { openHttpTool } from "./http/open-http-tool.js";
import { openModuleTools } from "./module/open-module-tools.js";
import { createSimulatedHandler } from "./simulated/create-simulated-handler.js";
import { renderSimulatedTool } from "./simulated/render-simulated-tool.js";
import type { RunnableTool, ToolConfig } from "./tool-config.js";
import type { AnswerScope, ToolHandler } from "./tool-handler.js";
import type { ToolLists } from "./tool-lists.js";
import type { ToolPorts } from "./tool-ports.js";

/**
 * The tools of one case: what in their settings depends on vars and row is filled in. Tools that depend on neither are
 * handed on as they are. Fails with the tool's name and what is not valid.
 */
export function renderTools(tools: readonly ToolConfig[], scope: AnswerScope): Result<readonly ToolConfig[], string> {
  const rendered: ToolConfig[] = [];
  for (const tool of tools) {
    if (tool.kind !== "simulated") {
      rendered.push(tool);
      continue;
    }
    const one = renderSimulatedTool(tool, scope);
    if (!one.success) return failure(`tool "${tool.name}": ${one.error}`);
    rendered.push(one.data);
  }
  return success(rendered);
}

type Opened = Result<readonly RunnableTool[]>;

/** What the entries of one trial stand for, as far as they are open. */
export type KnownTools = Map<ToolConfig, readonly RunnableTool[]>;

/**
 * The tools that the entries stand for, ready to be called. An entry that is in `known` is not opened again; others are
 * added to it. Fails with ENGINE_FIXTURE_ERROR.
 */
export async function openTools(
  tools: readonly ToolConfig[],
  ports: ToolPorts,
  lists: ToolLists | null = null,
  session: BuiltinSession = new BuiltinSession(ports),
  known: KnownTools = new Map(),
): Promise<Opened> {
  const opened: RunnableTool[] = [];
  for (const tool of tools) {
    const before = known.get(tool);
    // Modules load one after the other, so that their order is the config's.
    const one = before === undefined ? await openTool(tool, ports, lists, session) : success(before);
    if (!one.success) return one;
    known.set(tool, one.data);
    opened.push(...one.data);
  }
  return success(opened);
}

/** Fails where two tools have one name: no one could know which of them a call means. */
export function checkUniqueNames(tools: readonly RunnableTool[]): Result<void> {
  const names = new Set<string>();
  for (const { name } of tools) {
    if (names.has(name)) {
      return failure(kindlmError("ENGINE_FIXTURE_ERROR", `Two tools of the test are named "${name}"`));
    }
    names.add(name);
  }
  return success(undefined);
}

/** Every kind of tool and how it is made ready to be called. */
function openTool(
  tool: ToolConfig,
  ports: ToolPorts,
  lists: ToolLists | null,
  session: BuiltinSession,
): Opened | Promise<Opened> {
  switch (tool.kind) {
    case "simulated":
      return success([tool]);
    case "module":
      return openModuleTools(tool, ports, lists);
    case "command":
      return openCommandTool(tool, ports);
    case "http":
      return openHttpTool(tool, ports);
    case "builtin":
      return success(openBuiltinTools(tool, session));
  }
}

export function createToolHandler(tool: RunnableTool, scope: AnswerScope): ToolHandler {
  return tool.kind === "simulated" ? createSimulatedHandler(tool, scope) : tool.createHandler(scope);
}

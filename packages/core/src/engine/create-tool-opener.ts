import { kindlmError } from "../errors/kindlm-error.js";
import type { PlannedCase, RenderedCase } from "../plan/run-plan.js";
import { failure, success, type Result } from "../result.js";
import { BuiltinSession } from "../tools/builtin/builtin-session.js";
import { openBuiltinTools } from "../tools/builtin/open-builtin-tools.js";
import type { AgentTemplate } from "../tools/builtin/task/agents-config.js";
import type { TodoList } from "../tools/builtin/todo/todo-list.js";
import type { Delegate } from "../tools/builtin/task/delegate.js";
import { ToolRunner } from "../tools/tool-runner.js";
import { callsOf } from "../targets/mcp/mcp-target-schema.js";
import type { ToolLists } from "../tools/tool-lists.js";
import { createMcpServers, type McpServers } from "../tools/mcp/create-mcp-servers.js";
import { createLastValues, type LastValues } from "../tools/last-values.js";
import { addNamedTools, openAgentTools } from "./delegation/open-agent-tools.js";
import type { ToolPorts } from "../tools/tool-ports.js";
import type { RunnableTool } from "../tools/tool-config.js";
import { checkUniqueNames, openTools, type KnownTools } from "../tools/registry.js";
import { everythingAllowed, type PermissionSettings } from "../tools/permissions/permission-gate.js";
import type { ToolHooks } from "../tools/tool-hooks.js";
import type { ToolRuntime } from "../tools/tool-runtime.js";
import type { Workspace } from "../workspace/workspace.js";
import type { Clock } from "../values/clock.js";
import type { EnginePorts, GuardedTrial, ToolTape } from "./ports.js";
import type { TrialRef } from "./run-event.js";

/** The tools of one trial, ready to be called. */
export interface TrialTools {
  runtime: ToolRuntime;
  /** Of the agent under test; null if it has no built-in tools. */
  todos: TodoList | null;
  /** Those of a sub-agent. `above`: of the agent that delegates; null for the agent under test. */
  forSubAgent(template: AgentTemplate, delegate: Delegate, above: SubAgentTools | null): Result<SubAgentTools>;
  notRepeated: GuardedTrial["notRepeated"];
  /** Lets go of what is the trial's own. */
  release(): void;
}

/** Makes the tools of trials ready, and keeps what they share. */
export interface ToolOpener {
  /** Fails with ENGINE_FIXTURE_ERROR where a source of tools cannot be used, and when the signal aborts. */
  open(
    planned: PlannedCase,
    rendered: RenderedCase,
    trial: TrialPorts & { ref: TrialRef; seed: number },
  ): Promise<Result<TrialTools>> | Result<TrialTools>;
  /** Resolves when nothing that the tools started is left. */
  close(): Promise<void>;
}

/** What a trial lends to its tools. */
interface TrialPorts {
  signal: AbortSignal;
  workspace: Workspace | null;
  /** Null if the agent does not delegate. */
  delegate: Delegate | null;
}

/** The tools of a sub-agent in one conversation. */
export interface SubAgentTools {
  runtime: ToolRuntime;
  session: BuiltinSession;
}

interface OpenedTools {
  /** Those of the agent, then those that only sub-agents have. */
  tools: readonly RunnableTool[];
  /** How many of them the agent has. */
  own: number;
  /** The places of those of sub-agents, but for the built-in ones, which each conversation has for itself. */
  ofAgents: ReadonlyMap<string, readonly number[]>;
  session: BuiltinSession | null;
  release(): void;
}

const nothing = (): void => undefined;
const everything: GuardedTrial["notRepeated"] = () => null;

export function createToolOpener(ports: EnginePorts): ToolOpener {
  const servers = createMcpServers(ports);
  const lastValues = createLastValues();

  return {
    open(planned, rendered, { ref, seed, signal, workspace, delegate }) {
      const hooks = ports.toolHooks?.(ref, workspace?.root ?? null) ?? null;
      const shared = { seed, hooks, clock: ports.clock, lastValues, workspace };
      const ready = (opened: OpenedTools, notRepeated = everything): Result<TrialTools> => {
        const { tools, own, session, release } = opened;
        const runtime = createRuntime(tools.slice(0, own), planned, rendered, shared);
        return success({
          runtime,
          todos: session?.todos ?? null,
          release,
          notRepeated,
          forSubAgent: subAgentTools(runtime, opened),
        });
      };
      const simulated = rendered.tools.filter((tool) => tool.kind === "simulated");
      // Most tests have nothing to open, and a run may have very many trials.
      if (planned.test.mcpServers.length === 0 && simulated.length === rendered.tools.length) {
        return ready({
          tools: simulated,
          own: simulated.length,
          ofAgents: new Map(),
          session: null,
          release: nothing,
        });
      }
      const lent = { ...ports, signal, workspace, delegate };
      return openGuarded(planned, rendered, ref.trial, lent, servers).then((opened) =>
        opened.success ? ready(opened.data.tools, opened.data.notRepeated) : opened,
      );
    },
    close: () => servers.close(),
  };
}

/** The tools of a trial that has some to open, as its recording has them, and done once at most. */
async function openGuarded(
  planned: PlannedCase,
  rendered: RenderedCase,
  trial: number,
  ports: EnginePorts & TrialPorts,
  servers: Pick<McpServers, "open" | "openDirect">,
): Promise<Result<{ tools: OpenedTools; notRepeated: GuardedTrial["notRepeated"] | undefined }>> {
  const { cassette = null, signal } = ports;
  const tape = cassette?.toolTapeOf(planned, { trial, signal }) ?? null;
  const toolPorts = { ...ports, skills: planned.test.skills ?? null };
  const opened = await untilAborted(openAll(planned, rendered, tape, toolPorts, servers), signal);
  if (!opened.success) return opened;
  const { tools } = opened.data;
  // What is replayed does nothing to the world.
  const guard = cassette?.isReplay === true ? undefined : ports.effects;
  const guarded = guard?.guard(tools, planned, trial);
  return success({ tools: { ...opened.data, tools: guarded?.tools ?? tools }, notRepeated: guarded?.notRepeated });
}

/** The tools of all agents of a trial. */
async function openAll(
  { test }: PlannedCase,
  rendered: RenderedCase,
  tape: ToolTape | null,
  toolPorts: ToolPorts,
  servers: Pick<McpServers, "open" | "openDirect">,
): Promise<Result<OpenedTools>> {
  const lists = tape?.lists ?? null;
  const session = new BuiltinSession(toolPorts);
  const known: KnownTools = new Map();
  const opened = await openTools(rendered.tools, toolPorts, lists, session, known);
  if (!opened.success) return opened;
  const inPlace = await openAgentTools(rendered, (tools) => openTools(tools, toolPorts, lists, session, known));
  if (!inPlace.success) return inPlace;
  const served = await openServers(test, servers, lists);
  if (!served.success) return served;
  const { release } = served.data;
  const own = [...opened.data, ...served.data.tools];
  const unique = checkUniqueNames(own);
  const ofAgents = unique.success ? addNamedTools(rendered, inPlace.data, own) : unique;
  if (!ofAgents.success) {
    release();
    return ofAgents;
  }
  const all = [...new Set([...own, ...[...ofAgents.data.values()].flat()])];
  const tools = tape === null ? all : tape.wrap(all);
  const places = new Map([...ofAgents.data].map(([id, list]) => [id, list.map((tool) => all.indexOf(tool))] as const));
  return success({ tools, own: own.length, ofAgents: places, session, release });
}

/** The servers bring their tools to the agent, unless one of them is what is tested. */
function openServers(
  { target, mcpServers }: PlannedCase["test"],
  servers: Pick<McpServers, "open" | "openDirect">,
  lists: ToolLists | null,
): ReturnType<McpServers["open"]> {
  const server = target?.kind === "mcp" ? mcpServers.find(({ name }) => name === target.server) : undefined;
  if (target?.kind !== "mcp" || server === undefined) return servers.open(mcpServers, lists);
  return servers.openDirect(server, { calls: callsOf(target), isUnlisted: target.isUnlisted }, lists);
}

/** A tool that several agents have is one tool. What built-in tools know is of each conversation. */
function subAgentTools(runtime: ToolRunner, { tools, ofAgents, session: own }: OpenedTools): TrialTools["forSubAgent"] {
  return ({ id, tools: configs }, delegate, above) => {
    const parent = above?.session ?? own;
    if (parent === null) return failure(kindlmError("UNKNOWN_ERROR", "The tools of the trial are not open"));
    const session = new BuiltinSession({ ...parent.ports, delegate }, parent);
    const others = (ofAgents.get(id) ?? []).flatMap((place) => tools[place] ?? []);
    const builtins = configs.flatMap((tool) => (tool.kind === "builtin" ? openBuiltinTools(tool, session) : []));
    const all = [...others, ...builtins];
    const unique = checkUniqueNames(all);
    return unique.success ? success({ runtime: runtime.forSubAgent(all), session }) : unique;
  };
}

/** What a runtime has that is not of its case. */
interface RuntimeParts {
  seed: number;
  hooks: ToolHooks | null;
  clock: Clock;
  lastValues: LastValues;
  workspace: Workspace | null;
}

function createRuntime(
  tools: readonly RunnableTool[],
  { test, timeouts, fault }: PlannedCase,
  rendered: RenderedCase,
  { seed, hooks, clock, lastValues, workspace }: RuntimeParts,
): ToolRunner {
  return new ToolRunner({
    tools,
    style: test.toolErrors,
    recommendations: test.recommendations,
    timeoutMs: timeouts.toolMs,
    scope: rendered.answerScope,
    state: rendered.state,
    faults: fault.faults.length === 0 ? null : { list: fault.faults, seed },
    hooks,
    clock,
    lastValues,
    workspace,
    permissions: permissionsOf(test),
  });
}

function permissionsOf({ permissions, approvals }: PlannedCase["test"]): PermissionSettings | null {
  if (permissions === undefined && approvals === undefined) return null;
  return { permissions: permissions ?? everythingAllowed.permissions, approvals: approvals ?? [] };
}

/** Releases tools that open after their trial has ended. */
function untilAborted(opening: Promise<Result<OpenedTools>>, signal: AbortSignal): Promise<Result<OpenedTools>> {
  return new Promise((resolve) => {
    const onAbort = (): void => {
      void opening.then((late) => late.success && late.data.release());
      resolve(failure(kindlmError("ENGINE_ABORTED", "The trial was stopped while its tools were made ready")));
    };
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    void opening.then((opened) => {
      signal.removeEventListener("abort", onAbort);
      resolve(opened);
    });
  });
}

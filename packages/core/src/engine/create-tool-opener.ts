import { kindlmError } from "../errors/kindlm-error.js";
import type { PlannedCase, RenderedCase } from "../plan/run-plan.js";
import { failure, success, type Result } from "../result.js";
import { ToolRunner } from "../tools/tool-runner.js";
import { createMcpServers } from "../tools/mcp/create-mcp-servers.js";
import { createLastValues, type LastValues } from "../tools/last-values.js";
import type { RunnableTool } from "../tools/tool-config.js";
import { everythingAllowed, type PermissionSettings } from "../tools/permissions/permission-gate.js";
import { checkUniqueNames, openTools } from "../tools/registry.js";
import type { ToolHooks } from "../tools/tool-hooks.js";
import type { ToolRuntime } from "../tools/tool-runtime.js";
import type { Workspace } from "../workspace/workspace.js";
import type { Clock } from "../values/clock.js";
import type { EnginePorts, GuardedTrial, ToolTape } from "./ports.js";
import type { TrialRef } from "./run-event.js";

/** The tools of one trial, ready to be called. */
export interface TrialTools {
  runtime: ToolRuntime;
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
    trial: { ref: TrialRef; seed: number; signal: AbortSignal; workspace: Workspace | null },
  ): Promise<Result<TrialTools>>;
  /** Resolves when nothing that the tools started is left. */
  close(): Promise<void>;
}

interface OpenedTools {
  tools: readonly RunnableTool[];
  release(): void;
}

const nothing = (): void => undefined;
const everything: GuardedTrial["notRepeated"] = () => null;

export function createToolOpener(ports: EnginePorts): ToolOpener {
  const servers = createMcpServers(ports);
  const lastValues = createLastValues();

  const openAll = async (
    planned: PlannedCase,
    rendered: RenderedCase,
    tape: ToolTape | null,
    { signal, workspace }: { signal: AbortSignal; workspace: Workspace | null },
  ): Promise<Result<OpenedTools>> => {
    const lists = tape?.lists ?? null;
    const { mcpServers, skills = null } = planned.test;
    const opened = await openTools(rendered.tools, { ...ports, signal, workspace, skills }, lists);
    if (!opened.success) return opened;
    const served = await servers.open(mcpServers, lists);
    if (!served.success) return served;
    const all = [...opened.data, ...served.data.tools];
    const tools = tape === null ? all : tape.wrap(all);
    const unique = checkUniqueNames(tools);
    if (unique.success) return success({ tools, release: served.data.release });
    served.data.release();
    return unique;
  };

  return {
    async open(planned, rendered, { ref, seed, signal, workspace }) {
      const hooks = ports.toolHooks?.(ref, workspace?.root ?? null) ?? null;
      const shared = { seed, hooks, clock: ports.clock, lastValues, workspace };
      const ready = ({ tools, release }: OpenedTools, notRepeated = everything): Result<TrialTools> =>
        success({ runtime: createRuntime(tools, planned, rendered, shared), release, notRepeated });
      const simulated = rendered.tools.filter((tool) => tool.kind === "simulated");
      // Most tests have nothing to open, and a run may have very many trials.
      if (planned.test.mcpServers.length === 0 && simulated.length === rendered.tools.length) {
        return ready({ tools: simulated, release: nothing });
      }
      const { cassette = null } = ports;
      const tape = cassette?.toolTapeOf(planned, { trial: ref.trial, signal }) ?? null;
      const opened = await untilAborted(openAll(planned, rendered, tape, { signal, workspace }), signal);
      if (!opened.success) return opened;
      const { tools, release } = opened.data;
      // What is replayed does nothing to the world.
      const guard = cassette?.isReplay === true ? undefined : ports.effects;
      const guarded = guard?.guard(tools, planned, ref.trial);
      return ready({ tools: guarded?.tools ?? tools, release }, guarded?.notRepeated);
    },
    close: () => servers.close(),
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
  { seed, ...shared }: RuntimeParts,
): ToolRuntime {
  return new ToolRunner({
    tools,
    style: test.toolErrors,
    recommendations: test.recommendations,
    timeoutMs: timeouts.toolMs,
    scope: rendered.answerScope,
    state: rendered.state,
    faults: fault.faults.length === 0 ? null : { list: fault.faults, seed },
    ...shared,
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

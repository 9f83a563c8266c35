import * as z from "../values/deferred-zod.js";
import { commandTarget } from "./command/command-target.js";
import type { CommandTargetConfig } from "./command/command-settings.js";
import { agentTarget, type AgentTargetConfig } from "./agent/agent-target.js";
import type { Result } from "../result.js";
import type { TargetSession } from "./target.js";
import type { TargetDefinition, TargetOpening } from "./define-target.js";
import { httpTarget } from "./http/http-target.js";
import type { HttpTargetConfig } from "./http/http-settings.js";
import { mcpTarget } from "./mcp/mcp-target.js";
import type { McpTargetConfig } from "./mcp/mcp-target-schema.js";
import { moduleTarget, type ModuleTargetConfig } from "./module/module-target.js";

/** What is tested, if it is not a model: a program, a service or a function. */
export type ProgramTarget =
  | AgentTargetConfig
  | CommandTargetConfig
  | HttpTargetConfig
  | McpTargetConfig
  | ModuleTargetConfig;

type TargetRegistry = {
  [Kind in ProgramTarget["kind"]]: TargetDefinition<Extract<ProgramTarget, { kind: Kind }>>;
};

/** Every kind of target except the model; a new kind joins with a line here, see CONTRIBUTING.md. */
const targetRegistry: TargetRegistry = {
  agent: agentTarget,
  command: commandTarget,
  http: httpTarget,
  mcp: mcpTarget,
  module: moduleTarget,
};

export const targetKinds: readonly string[] = Object.keys(targetRegistry);

/** The keys that distinguish the kinds. */
export const targetKeys: readonly string[] = Object.values(targetRegistry).map(({ key }) => key);

const description =
  "What is tested: model (a loop that KindLM runs), your program by command, url or module, a coding agent, or an MCP server";

/** `target:` of a suite or test. Its key shows which form is meant, so problems are those of that form. */
export const targetSchema = z
  .union([
    z.literal("model"),
    commandTarget.schema,
    httpTarget.schema,
    moduleTarget.schema,
    mcpTarget.schema,
    agentTarget.schema,
  ])
  .describe(description)
  .meta({ examples: ["model", { command: ["node", "agent.js"], proxy: true }] });

/** A session of a trial with its target. */
export async function openTarget(target: ProgramTarget, opening: TargetOpening): Promise<Result<TargetSession>> {
  const definition = definitionOf(target);
  if (target.traces === undefined) return definition.open(target, opening);
  const { origin, world, clock } = opening;
  const traced = await world.traces.open(target.traces, `${origin.caseId}, trial ${origin.trial}`, clock);
  return traced.success ? definition.open(target, { ...opening, traced: traced.data }) : traced;
}

/** What its kind knows of a target. */
export function definitionOf(target: ProgramTarget): TargetDefinition<ProgramTarget> {
  return targetRegistry[target.kind];
}

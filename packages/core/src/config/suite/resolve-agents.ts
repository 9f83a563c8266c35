import { failure, success } from "../../result.js";
import type { AgentTemplate, SubagentLimits } from "../../tools/builtin/task/agents-config.js";
import type { WrittenAgents, WrittenSubagents } from "../../tools/builtin/task/agents-schema.js";
import type { ToolConfig } from "../../tools/tool-config.js";
import { toolSchema } from "../../tools/tool-schema.js";
import { didYouMean } from "../../values/nearest-name.js";
import type { ModelCatalog } from "../model-catalog.js";
import type { ResolvedAgents } from "../resolved-agents.js";
import type { ResolvedModel } from "../resolved-model.js";
import type { WrittenSuite } from "../schema/suite-schema.js";
import { parseSection, report, subsection, type Section } from "../source/section.js";
import type { Path } from "../source/written.js";
import type { KnownAgents, UnknownTool } from "./known-agents.js";
import { resolveTool, toolNamed, type ResolvedTools } from "./resolve-tools.js";
import type { SuiteScope } from "./suite-scope.js";
import type { TestScope } from "./test-scope.js";

/** Deep enough for every reasonable delegation, and an end of those that go in circles. */
const usualDepth = 3;

type AgentScope = Pick<SuiteScope, "access" | "env" | "secretNames" | "models" | "sharedTools">;

/**
 * `agents:` of a suite, or of the top level; `section` is its owner, and `tools` those of the suite. What is wrong is
 * reported.
 */
export async function resolveAgents(
  section: Section,
  written: WrittenAgents | undefined,
  scope: AgentScope,
  tools: Pick<ResolvedTools, "configs"> = { configs: [] },
): Promise<KnownAgents | null> {
  if (written === undefined) return null;
  const templates: AgentTemplate[] = [];
  const models = new Map<string, ResolvedModel>();
  const unknownTools: UnknownTool[] = [];
  for (const [index, agent] of written.entries()) {
    const at = ["agents", index];
    if (templates.some(({ id }) => id === agent.id)) {
      report(section, { path: [...at, "id"], message: `The agent template "${agent.id}" is already defined` });
    }
    const { id, system, when_to_use: whenToUse = null, subagents } = agent;
    const own = await resolveAgentTools(section, at, agent.tools ?? [], scope, tools);
    unknownTools.push(...own.unknown);
    const named = own.names.length === 0 ? {} : { toolNames: own.names };
    templates.push({ id, system, whenToUse, tools: own.tools, ...named, subagents: limitsOf(subagents) });
    const model = modelOf(section, [...at, "model"], agent.model, scope.models);
    if (model !== null) models.set(id, model);
  }
  const ids = templates.map(({ id }) => id);
  for (const [index, { subagents }] of written.entries()) checkLimits(section, ["agents", index], subagents, ids);
  const texts = written.map(({ system }, index) => ({ value: system, section, path: ["agents", index, "system"] }));
  return { templates, models, texts, unknownTools };
}

/** What a suite knows of sub-agents; `section` is the suite. */
export async function resolveSuiteAgents(
  section: Section,
  suite: WrittenSuite,
  tools: ResolvedTools,
  scope: SuiteScope,
): Promise<Pick<TestScope, "agents" | "reachable" | "agentTexts">> {
  const known = (await resolveAgents(section, suite.agents, scope, tools)) ?? scope.agents;
  if (tools.areAll && !hasServers(suite)) reportUnknownTools(known?.unknownTools ?? []);
  const agents = agentsOf(section, suite, known, tools, scope);
  return { agents, reachable: withAgentTools(tools, agents), agentTexts: agents === null ? [] : (known?.texts ?? []) };
}

function hasServers({ mcp_servers: servers, tests }: WrittenSuite): boolean {
  return servers !== undefined || tests.some((test) => test.mcp_servers !== undefined);
}

/** Templates of the top level may be those of several suites. */
function reportUnknownTools(unknown: readonly UnknownTool[]): void {
  for (const tool of unknown) {
    if (!tool.isReported) report(tool.section, tool.problem);
    tool.isReported = true;
  }
}

/** What a suite's tests have of them; null if their agent does not delegate. `section` is the suite. */
function agentsOf(
  section: Section,
  { agents, subagents }: { agents?: unknown; subagents?: WrittenSubagents | undefined },
  known: KnownAgents | null,
  { configs }: Pick<ResolvedTools, "configs">,
  { models }: Pick<SuiteScope, "models">,
): ResolvedAgents | null {
  if (known !== null)
    checkLimits(
      section,
      [],
      subagents,
      known.templates.map(({ id }) => id),
    );
  if (!delegates(configs)) {
    const key = agents === undefined ? (subagents === undefined ? null : "subagents") : "agents";
    const message = `"${key}" has no effect: the agent does not have the tool task_run`;
    const hint = "Add task_run to tools of the suite";
    if (key !== null) report(section, { path: [key], atKey: true, severity: "warning", message, hint });
    return null;
  }
  if (known === null) {
    const hint = "Add agents: to the suite or to the top level, such as { id: researcher, system: Find the facts. }";
    report(section, { path: ["tools"], atKey: true, message: 'Tool "task_run" needs agents to delegate to', hint });
    return null;
  }
  const limits = limitsOf(subagents);
  return {
    templates: known.templates,
    models: known.models,
    subagents: { ...limits, depth: limits.depth ?? usualDepth },
    findModel: (name, asking) => findModel(models, name, asking),
  };
}

/** The tools of the agent with those of all that it can delegate to. */
function withAgentTools(tools: ResolvedTools, agents: ResolvedAgents | null): ResolvedTools {
  if (agents === null) return tools;
  const configs = [...new Set([...tools.configs, ...agents.templates.flatMap((template) => template.tools)])];
  const ofTool = (tool: ToolConfig): readonly string[] =>
    tool.kind === "builtin" ? tool.names : tool.name === null ? [] : [tool.name];
  const names = [...new Set([...tools.names, ...configs.flatMap(ofTool)])];
  return { names, configs, areAll: tools.areAll && configs.every((tool) => ofTool(tool).length > 0) };
}

function delegates(tools: readonly ToolConfig[]): boolean {
  return tools.some((tool) => tool.kind === "builtin" && tool.names.includes("task_run"));
}

function limitsOf(written: WrittenSubagents | undefined): SubagentLimits {
  return { depth: written?.depth ?? null, templates: written?.templates ?? null };
}

function checkLimits(
  section: Section,
  at: Path,
  written: WrittenSubagents | undefined,
  known: readonly string[],
): void {
  for (const [index, id] of (written?.templates ?? []).entries()) {
    if (known.includes(id)) continue;
    const path = [...at, "subagents", "templates", index];
    const hint = didYouMean(id, known) ?? `Templates: ${known.join(", ")}`;
    report(section, { path, message: `Agent template "${id}" not found`, hint });
  }
}

/** Warns of templates that no model answers for, since a program is tested that asks none of the config. `section` is the test. */
export function checkAgentModels(section: Section, agents: ResolvedAgents | null, hasModel: boolean): void {
  if (agents === null || hasModel) return;
  const without = agents.templates.filter(({ id }) => !agents.models.has(id));
  for (const { id } of without) {
    report(section, {
      path: ["name"],
      severity: "warning",
      message: `The agent template "${id}" has no model, and neither has the program under test`,
      hint: "Add model: to the template, unless each task names one",
    });
  }
}

function modelOf(
  section: Section,
  path: Path,
  written: WrittenAgents[number]["model"],
  models: ModelCatalog,
): ResolvedModel | null {
  if (written === undefined) return null;
  const found = models.find(typeof written === "string" ? written : `${written.provider}:${written.model}`);
  if ("model" in found) return found.model;
  if ("broken" in found) section.findings.add(...found.broken);
  else report(section, { ...found.problem, path });
  return null;
}

/** Entries are tools in place, names of tools of the suite or of the top level, and built-in tools. */
async function resolveAgentTools(
  section: Section,
  at: Path,
  written: readonly unknown[],
  scope: AgentScope,
  ofSuite: Pick<ResolvedTools, "configs">,
): Promise<{ tools: readonly ToolConfig[]; names: readonly string[]; unknown: readonly UnknownTool[] }> {
  const found: ToolConfig[] = [];
  const names: string[] = [];
  const unknown: UnknownTool[] = [];
  for (const [index, entry] of written.entries()) {
    const path = [...at, "tools", index];
    if (typeof entry === "string") {
      const own = ofSuite.configs.find(({ name }) => name === entry);
      const named =
        own === undefined ? toolNamed(section, path, entry, scope.sharedTools, namesOf(ofSuite)) : success(own);
      if (named.success) found.push(...(named.data === null ? [] : [named.data]));
      else {
        names.push(entry);
        unknown.push({ section, problem: named.error, isReported: false });
      }
      continue;
    }
    const parsed = parseSection(subsection(section, path, entry), toolSchema);
    if (parsed.success) found.push(await resolveTool(section, path, parsed.data, scope));
  }
  checkNames(section, at, found);
  return { tools: found, names, unknown };
}

function namesOf({ configs }: Pick<ResolvedTools, "configs">): readonly string[] {
  return configs.flatMap(({ name }) => name ?? []);
}

function checkNames(section: Section, at: Path, tools: readonly ToolConfig[]): void {
  const names = new Set<string>();
  for (const tool of tools) {
    for (const name of tool.kind === "builtin" ? tool.names : [tool.name ?? ""]) {
      if (name !== "" && names.has(name)) {
        report(section, { path: [...at, "tools"], message: `The tool name "${name}" is already used in this agent` });
      }
      names.add(name);
    }
  }
}

/** As it is declared, so that its settings hold; else as provider:model. */
function findModel(
  models: ModelCatalog,
  name: string | { provider: string; model: string },
  asking: ResolvedModel | null,
): ReturnType<ResolvedAgents["findModel"]> {
  const known = typeof name === "string" ? models.find(name) : null;
  if (known !== null && "model" in known) return success(known.model);
  const provider = typeof name === "string" ? asking?.settings.providerName : name.provider;
  const model = typeof name === "string" ? name : name.model;
  if (provider !== undefined) {
    const declared = models.declared.flatMap(({ found }) => ("model" in found ? found.model : []));
    const same = declared.find(({ settings }) => settings.providerName === provider && settings.model === model);
    if (same !== undefined) return success(same);
    const found = models.find(`${provider}:${model}`);
    if ("model" in found) return success(found.model);
    if ("problem" in found && typeof name !== "string") return failure(found.problem.message);
  }
  return failure(`Unknown model "${model}"`);
}

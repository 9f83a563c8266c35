import path from "node:path";
import { compileSchema } from "../../json-schema/compile-schema.js";
import { isObviouslyValidSchema } from "../../json-schema/is-obviously-valid-schema.js";
import { failure, success, type Result } from "../../result.js";
import { builtinNames, builtinsLike } from "../../tools/builtin/registry.js";
import type { ToolConfig } from "../../tools/tool-config.js";
import type { JsonObject } from "../../values/json.js";
import { expandSettings, programIn, type SettingsScope } from "./expand-settings.js";
import { findReference, type FileAccess } from "../file-references.js";
import { parseSection, report, subsection, type Problem, type Section } from "../source/section.js";
import { Findings } from "../source/finding.js";
import { isRecord } from "../../values/json.js";
import { didYouMean } from "../../values/nearest-name.js";
import { toolSchema } from "../../tools/tool-schema.js";
import { reportSchemaSlips } from "./report-schema-slips.js";
import type { Path } from "../source/written.js";

/** The names of a test's tools, as far as the config names them. */
export interface KnownTools {
  names: readonly string[];
  /** False when a module or a server has more, whose names are known once it is asked. */
  areAll: boolean;
}

/** A tool at the top of the config. */
export interface SharedTool {
  /** As it is written. */
  written: unknown;
  /** Null if it is not valid. */
  config: ToolConfig | null;
  findings: Findings;
  place: number;
  isUsed: boolean;
}

export type SharedTools = ReadonlyMap<string, SharedTool>;

interface ToolScope extends SettingsScope {
  access: FileAccess;
}

export interface ResolvedTools extends KnownTools {
  configs: readonly ToolConfig[];
}

/** `tools:` of a config, each with what was found in it: a tool that is not valid concerns only the suites that use it. */
export async function resolveSharedTools(config: Section, written: unknown, scope: ToolScope): Promise<SharedTools> {
  const tools = new Map<string, SharedTool>();
  for (const [place, tool] of (Array.isArray(written) ? written : []).entries()) {
    const findings = new Findings();
    const section = { ...config, findings };
    const parsed = parseSection(subsection(section, ["tools", place], tool), toolSchema);
    const name = isRecord(tool) && typeof tool["name"] === "string" ? tool["name"] : null;
    if (name === null || tools.has(name)) {
      report(config, name === null ? namelessTool(place) : repeatedTool(place, name));
      config.findings.add(...findings.all);
      continue;
    }
    const resolved = parsed.success ? await resolveTool(section, ["tools", place], parsed.data, scope) : null;
    tools.set(name, { written: tool, config: resolved, findings, place, isUsed: false });
  }
  return tools;
}

function namelessTool(place: number): Problem {
  const hint = "Suites use it by its name; a module with several tools needs one entry for each";
  return { path: ["tools", place], message: "A tool at the top of the config needs a name", hint };
}

function repeatedTool(place: number, name: string): Problem {
  return {
    path: ["tools", place, "name"],
    message: `The tool name "${name}" is already used at the top of the config`,
  };
}

/** Which entries of a suite's `tools:` name a shared tool; null for its own. */
export function sharedNames(suite: unknown): readonly (string | null)[] {
  const tools: readonly unknown[] = isRecord(suite) && Array.isArray(suite["tools"]) ? suite["tools"] : [];
  return tools.map((tool) => (typeof tool === "string" ? tool : null));
}

/** The suite with the shared tools in place of their names. */
export function withSharedTools(section: Section, tools: SharedTools): Section {
  const names = sharedNames(section.value);
  if (!isRecord(section.value) || names.every((name) => name === null)) return section;
  const own: readonly unknown[] = Array.isArray(section.value["tools"]) ? section.value["tools"] : [];
  const written = own.map((tool, index) => {
    const name = names[index] ?? null;
    if (name === null) return tool;
    const shared = tools.get(name);
    if (shared === undefined && !isMissing(name, tools)) return { builtin: name };
    if (shared === undefined) report(section, unknownTool(index, name, tools));
    else {
      shared.isUsed = true;
      section.findings.add(...shared.findings.all);
    }
    // What is wrong with the tool has its own place; assertions may name it all the same.
    return (shared?.config ?? null) === null
      ? { name: name.replaceAll(/[^\w.-]/g, "_").slice(0, 128) || "_" }
      : shared?.written;
  });
  return { ...section, value: { ...section.value, tools: written } };
}

/** The tool that a name stands for where there is no suite to write it in, which may be broken; else what is wrong. */
export function toolNamed(
  section: Section,
  at: Path,
  name: string,
  tools: SharedTools,
  others: readonly string[],
): Result<ToolConfig | null, Problem> {
  const shared = tools.get(name);
  if (shared !== undefined) {
    shared.isUsed = true;
    section.findings.add(...shared.findings.all);
    return success(shared.config);
  }
  const names = builtinsLike(name);
  if (names.length > 0) return success({ kind: "builtin", name: null, names, overrides: {} });
  const known = [...others, ...tools.keys(), ...builtinNames];
  const hint = didYouMean(name, known) ?? "Write the tool here";
  return failure({ path: at, message: `Tool "${name}" not found`, hint });
}

function unknownTool(index: number, name: string, tools: SharedTools): Problem {
  const known = [...tools.keys(), ...builtinNames];
  const none = "Define it under tools at the top of the config, or write the tool here";
  const hint =
    didYouMean(name, known) ?? (tools.size === 0 ? none : `Tools at the top: ${[...tools.keys()].join(", ")}`);
  return { path: ["tools", index], message: `Tool "${name}" not found at the top of the config`, hint };
}

/** Warns of shared tools that no suite names. */
export function reportUnusedTools(config: Section, tools: SharedTools): void {
  for (const [name, { isUsed, place, findings }] of tools) {
    if (isUsed) continue;
    config.findings.add(...findings.all);
    report(config, {
      path: ["tools", place, "name"],
      severity: "warning",
      message: `Tool "${name}" is not used by any suite`,
      hint: `Add ${name} to tools of a suite, or remove it here`,
    });
  }
}

/** `tools:` of a suite with paths and environment filled in. `section` is the suite; what is wrong is reported. */
export async function resolveTools(
  section: Section,
  written: readonly ToolConfig[] | undefined,
  scope: ToolScope & { sharedTools: SharedTools },
  shared: readonly (string | null)[],
): Promise<ResolvedTools> {
  const names: string[] = [];
  const configs: ToolConfig[] = [];
  // What a name that was not found stands for, nobody knows: other names may well mean it.
  const isAnyMissing = shared.some((name) => name !== null && isMissing(name, scope.sharedTools));
  for (const [index, tool] of (written ?? []).entries()) {
    for (const name of namesOf(tool)) {
      if (names.includes(name)) {
        const message = `The tool name "${name}" is already used in this suite`;
        report(section, { path: ["tools", index, "name"], message });
      }
      names.push(name);
    }
    const fromTop = shared[index] ?? null;
    if (fromTop !== null && tool.kind !== "builtin") {
      const config = scope.sharedTools.get(fromTop)?.config ?? null;
      if (config !== null) configs.push(config);
      continue;
    }
    configs.push(await resolveTool(section, ["tools", index], tool, scope));
  }
  return { names, configs, areAll: !isAnyMissing && configs.every((tool) => namesOf(tool).length > 0) };
}

function isMissing(name: string, tools: SharedTools): boolean {
  return !tools.has(name) && builtinsLike(name).length === 0;
}

/** The names of the tools of an entry; none if a module has them. */
function namesOf(tool: ToolConfig): readonly string[] {
  if (tool.kind === "builtin") return tool.names;
  return tool.name === null ? [] : [tool.name];
}

/** A tool that stands at a place of the section, with paths and environment filled in. What is wrong is reported. */
export async function resolveTool(section: Section, at: Path, tool: ToolConfig, scope: ToolScope): Promise<ToolConfig> {
  const folder = path.dirname(section.document.source.path);
  checkSchemas(section, at, tool);
  switch (tool.kind) {
    case "simulated":
    case "builtin":
      return tool;
    case "module": {
      const label = `Module "${path.normalize(tool.file)}"`;
      const reference = { section, path: [...at, "module"], written: tool.file, label };
      const found = await findReference(reference, scope.access);
      if (!found.success) section.findings.add(found.error);
      return { ...tool, file: found.success ? found.data : tool.file };
    }
    case "command": {
      const { env } = expandSettings(section, at, { env: tool.env }, scope);
      const command = programIn(folder, tool.command);
      return { ...tool, command, cwd: path.resolve(folder, tool.cwd), env };
    }
    case "http": {
      const { url, headers, body } = tool;
      if (!/^(https?:\/\/|\{\{|\$\{)/i.test(url)) {
        const hint = "Start it with http:// or https://";
        report(section, { path: [...at, "url"], message: `"${url}" is not an HTTP address`, hint });
      }
      // A value from the environment is never a template, even if it looks like one.
      return { ...tool, ...expandSettings(section, at, { url, headers, body }, scope, escapeTemplate) };
    }
  }
}

function escapeTemplate(text: string): string {
  return text.replaceAll("{{", "\\{{");
}

function checkSchemas(section: Section, at: Path, tool: ToolConfig): void {
  if (tool.kind === "builtin") return;
  const { parameters, resultSchema } = tool.kind === "module" ? tool.overrides : tool;
  checkSchema(section, [...at, "parameters"], parameters, `The parameters of tool "${tool.name ?? ""}"`);
  checkSchema(section, [...at, "result_schema"], resultSchema, `The result of tool "${tool.name ?? ""}"`);
}

function checkSchema(section: Section, at: Path, schema: JsonObject | undefined, what: string): void {
  if (schema === undefined || surelyCompiles(schema)) return;
  const compiled = compileSchema(schema);
  if (compiled.success) return reportSchemaSlips(section, at, schema);
  const message = `${what}: ${compiled.error.message}`;
  report(section, { code: "SCHEMA_FILE_ERROR", path: at, message, subject: section.document.source.file });
}

/** Spares loading the compiler for the schemas that most tools have: common keywords, no reference, no pattern. */
function surelyCompiles(parameters: JsonObject): boolean {
  return (
    isObviouslyValidSchema(parameters) &&
    !/"(?:\$\w+|pattern|patternProperties|format)":/.test(JSON.stringify(parameters))
  );
}

import path from "node:path";
import { compileSchema } from "../../json-schema/compile-schema.js";
import { isObviouslyValidSchema } from "../../json-schema/is-obviously-valid-schema.js";
import type { ToolConfig } from "../../tools/tool-config.js";
import type { JsonObject } from "../../values/json.js";
import { expandSettings, programIn } from "./expand-settings.js";
import { findReference } from "../file-references.js";
import { report, type Section } from "../source/section.js";
import { reportSchemaSlips } from "./report-schema-slips.js";
import type { Path } from "../source/written.js";
import type { SuiteScope } from "./suite-scope.js";

/** The names of a test's tools, as far as the config names them. */
export interface KnownTools {
  names: readonly string[];
  /** False when a module or a server has more, whose names are known once it is asked. */
  areAll: boolean;
}

export interface ResolvedTools extends KnownTools {
  configs: readonly ToolConfig[];
}

/** `tools:` of a suite with paths and environment filled in. `section` is the suite; what is wrong is reported. */
export async function resolveTools(
  section: Section,
  written: readonly ToolConfig[] | undefined,
  scope: SuiteScope,
): Promise<ResolvedTools> {
  const names: string[] = [];
  const configs: ToolConfig[] = [];
  for (const [index, tool] of (written ?? []).entries()) {
    const { name } = tool;
    if (name !== null) {
      if (names.includes(name)) {
        const message = `The tool name "${name}" is already used in this suite`;
        report(section, { path: ["tools", index, "name"], message });
      }
      names.push(name);
    }
    checkSchemas(section, index, tool);
    configs.push(await resolveTool(section, index, tool, scope));
  }
  return { names, configs, areAll: configs.every((tool) => tool.name !== null) };
}

async function resolveTool(section: Section, index: number, tool: ToolConfig, scope: SuiteScope): Promise<ToolConfig> {
  const folder = path.dirname(section.document.source.path);
  const at = ["tools", index];
  switch (tool.kind) {
    case "simulated":
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

function checkSchemas(section: Section, index: number, tool: ToolConfig): void {
  const { parameters, resultSchema } = tool.kind === "module" ? tool.overrides : tool;
  checkSchema(section, ["tools", index, "parameters"], parameters, `The parameters of tool "${tool.name ?? ""}"`);
  checkSchema(section, ["tools", index, "result_schema"], resultSchema, `The result of tool "${tool.name ?? ""}"`);
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

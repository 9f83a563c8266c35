import path from "node:path";
import { parseAssertion } from "../../assertions/parse-assertion.js";
import type { ParsedAssertion } from "../../assertions/parsed-assertion.js";
import type { AssertionTemplate, ResolvedTest } from "../../config/resolved-config.js";
import { caseScope } from "../../config/suite/check-placeholders.js";
import type { ProgramTarget } from "../../targets/registry.js";
import type { McpServerConfig, ToolConfig } from "../../tools/tool-config.js";
import { isRecord } from "../../values/json.js";
import { isTemplate, renderTemplate } from "../../values/template.js";

/** Absolute paths of the files that a config names without reading them, and whose contents can change a result. */
export interface NamedFiles {
  ofTool(tool: ToolConfig): readonly string[];
  ofServer(server: McpServerConfig): readonly string[];
  ofTarget(target: ProgramTarget): readonly string[];
  /** Where placeholders name the files, the rows of the test say which. */
  ofAssertion(template: AssertionTemplate, test: Pick<ResolvedTest, "vars" | "rows">): readonly string[];
}

/** `root` is the folder of the project, absolute. */
export function createNamedFiles(root: string): NamedFiles {
  /** Whatever in a command line may be a file of the project; that it is none is found out when it is read. */
  const ofCommand = (command: readonly string[], cwd: string): readonly string[] => {
    // Most assertions have none.
    if (command.length === 0) return command;
    const words = command.flatMap((argument) => argument.split(/[\s"'`;|&<>()=]+/));
    const files = words.filter((word) => /[./\\]/.test(word) && !/[{}$*?:]/.test(word) && word.length < 300);
    return [...new Set(files.map((word) => path.resolve(cwd, word)).filter((file) => isOwn(file, root, cwd)))];
  };

  const ofParsed = (assertion: ParsedAssertion, baseDir: string): readonly string[] => {
    if (assertion.form === "group") return assertion.members.flatMap((member) => ofParsed(member, baseDir));
    const { options, references } = assertion;
    const files = references.flatMap((one) => ("file" in one ? [path.resolve(baseDir, one.file)] : []));
    const command = isRecord(options) && Array.isArray(options["command"]) ? options["command"] : [];
    return [...files, ...ofCommand(command.map(String), baseDir)];
  };

  return {
    ofTool: (tool) => {
      if (tool.kind === "module") return [tool.file];
      return tool.kind === "command" ? ofCommand(tool.command, tool.cwd) : [];
    },
    ofServer: ({ connection }) => (connection.kind === "stdio" ? ofCommand(connection.command, connection.cwd) : []),
    ofTarget: (target) => {
      if (target.kind === "module") return [target.file];
      return target.kind === "command" ? ofCommand(target.command, target.cwd) : [];
    },
    ofAssertion({ raw, parsed, baseDir, registered }, { vars, rows }) {
      if (parsed !== null) return ofParsed(parsed, baseDir);
      // The module of a registered type is a file, although no key names it.
      if (registered.size === 0 && !namesFile(raw, () => true)) return [];
      const every = rows ?? [null];
      const asked = namesFile(raw, isTemplate) ? every : every.slice(0, 1);
      const files = asked.flatMap((row) => {
        const rendered = renderTemplate(raw, caseScope(vars, row));
        const filled = rendered.success ? parseAssertion(rendered.data, baseDir, registered) : rendered;
        return filled.success ? ofParsed(filled.data, baseDir) : [];
      });
      return [...new Set(files)];
    },
  };
}

/** In the project, or next to the started program, but not in the folders of the system. */
function isOwn(file: string, root: string, cwd: string): boolean {
  const isIn = (folder: string): boolean => folder !== path.parse(folder).root && file.startsWith(folder + path.sep);
  return (isIn(root) || isIn(cwd)) && !file.split(path.sep).includes("node_modules");
}

const fileKeys = new Set(["schema_file", "schemaFile", "module", "command"]);

/** Whether there is a key for files somewhere in it, whose value is such a one. */
function namesFile(raw: unknown, isSuch: (value: unknown) => boolean): boolean {
  if (Array.isArray(raw)) return raw.some((item) => namesFile(item, isSuch));
  if (!isRecord(raw)) return false;
  return Object.keys(raw).some((key) => (fileKeys.has(key) && isSuch(raw[key])) || namesFile(raw[key], isSuch));
}

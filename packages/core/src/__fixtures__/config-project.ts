import { loadConfig } from "../config/load-config.js";
import type { ResolvedConfig, ResolvedTest } from "../config/resolved-config.js";
import type { Diagnostic } from "../errors/error-table.js";
import type { KindlmError } from "../errors/kindlm-error.js";
import type { Result } from "../result.js";
import { makeProject, type ProjectFiles } from "./make-project.js";

export interface ProjectOptions {
  paths?: readonly string[];
  ci?: boolean;
  env?: Readonly<Record<string, string>>;
}

export async function loadProject(files: ProjectFiles, options: ProjectOptions = {}): Promise<Result<ResolvedConfig>> {
  const cwd = makeProject(files);
  return loadConfig({ paths: options.paths ?? [], ci: options.ci ?? false }, { env: options.env ?? {}, cwd });
}

/** The config of a project that must load. */
export async function loadedProject(files: ProjectFiles, options: ProjectOptions = {}): Promise<ResolvedConfig> {
  const loaded = await loadProject(files, options);
  if (!loaded.success) throw new Error(`${loaded.error.message}\n${renderAll(loaded.error).join("\n")}`);
  return loaded.data;
}

/** All tests of the suites that are ready. */
export function testsOf(config: ResolvedConfig): readonly ResolvedTest[] {
  return config.suites.flatMap((suite) => (suite.status === "ready" ? suite.tests : []));
}

export function diagnosticsOf(error: KindlmError): readonly Diagnostic[] {
  const { details } = error;
  return details !== undefined && "diagnostics" in details ? ((details.diagnostics as Diagnostic[]) ?? []) : [];
}

/** Each diagnostic on one line: `CODE file:line:column message | hint`. */
export function renderAll(error: KindlmError): string[] {
  return diagnosticsOf(error).map(renderDiagnostic);
}

export function renderDiagnostic({ code, severity, message, hint, position }: Diagnostic): string {
  const place = position === undefined ? "-" : `${position.file}:${position.line}:${position.column}`;
  const kind = severity === "warning" ? "warning" : code.replace("CONFIG_VALIDATION_ERROR", "invalid");
  return `${kind} ${place} ${message}${hint === undefined ? "" : ` | ${hint}`}`;
}

/** A config with one suite and one test, and the given lines in place of the test's own. */
export const minimalConfig = (testLines = "assert: [{ type: contains, value: hi }]", topLines = ""): string =>
  `version: 1
models: [{ id: m, provider: openai, model: gpt-4.1-mini }]
${topLines}${topLines === "" ? "" : "\n"}suites:
  - name: s
    tests:
      - name: t
        input: hello
        ${testLines.replaceAll("\n", "\n        ")}
`;

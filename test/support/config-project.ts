import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll } from "vitest";
import { loadConfig } from "../../packages/core/src/config/load-config.js";
import type { ResolvedConfig, ResolvedTest } from "../../packages/core/src/config/resolved-config.js";
import type { Diagnostic } from "../../packages/core/src/errors/diagnostic.js";
import type { KindlmError } from "../../packages/core/src/errors/kindlm-error.js";
import type { Result } from "../../packages/core/src/result.js";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export type ProjectFiles = Readonly<Record<string, string | Uint8Array>>;

/** A folder with these files, removed after the tests of the file that asked for it. */
export function createProject(files: ProjectFiles): string {
  const folder = mkdtempSync(path.join(tmpdir(), "kindlm-config-"));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return folder;
}

export interface ProjectOptions {
  paths?: readonly string[];
  ci?: boolean;
  env?: Readonly<Record<string, string>>;
}

export async function loadProject(files: ProjectFiles, options: ProjectOptions = {}): Promise<Result<ResolvedConfig>> {
  const cwd = createProject(files);
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

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder of its own with these files, gone when the test ends. */
export function makeProject(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "kindlm-unit-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** A config with one scripted model named `m`, whose rules and suites are given as YAML. */
export function scriptedConfig({
  rules = "[]",
  otherwise = "{ text: hello }",
  suites,
  more = "",
}: ScriptedConfig): string {
  return `version: 1
models:
  - { id: m, provider: scripted, script: { rules: ${rules}, otherwise: ${otherwise} } }
${more}
suites:
${suites}
`;
}

export interface ScriptedConfig {
  /** YAML flow list. */
  rules?: string;
  /** YAML flow mapping. */
  otherwise?: string;
  /** Block list, indented by two. */
  suites: string;
  /** Further top-level keys. */
  more?: string;
}

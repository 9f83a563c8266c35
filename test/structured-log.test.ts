import { expect, it } from "vitest";
import { scriptedConfig } from "../packages/core/src/__fixtures__/scripted-config.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "./support/run-cli.js";

interface Line {
  level: string;
  code: string | null;
  message: string;
  gate?: string;
  suite?: string;
}

async function logOf(files: Record<string, string>, args: readonly string[] = []): Promise<readonly Line[]> {
  const ran = await runCli(["test", "--log-format", "json", ...args], { cwd: makeProject(files) });
  return ran.stderr
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
}

it("has a line for each gate that failed, and for each suite that could not run", async () => {
  const suite = (name: string, prompt = ""): string =>
    `  - name: ${name}${prompt}\n    tests: [{ name: t, input: hi, assert: [{ type: contains, value: no }] }]`;
  const lines = await logOf({
    "kindlm.yaml": scriptedConfig({
      suites: `${suite("whole")}\n${suite("broken", "\n    system_prompt_file: ./none.md")}`,
      more: "gates: { pass_rate: 0.9 }",
    }),
  });
  expect(lines).toContainEqual(
    expect.objectContaining({ level: "error", gate: "pass_rate", message: expect.stringMatching(/^A gate failed: /) }),
  );
  expect(lines).toContainEqual(
    expect.objectContaining({ level: "error", code: "CONFIG_FILE_REF_ERROR", suite: "broken" }),
  );
});

it("quotes neither programs nor tools", async () => {
  const lines = await logOf({
    "agent.mjs": `process.stderr.write("SAID-BY-THE-AGENT"); process.exit(3);`,
    "kindlm.yaml": `version: 1
suites:
  - name: s
    target: { command: [node, ./agent.mjs] }
    tests: [{ name: t, input: hi, assert: [{ type: contains, value: no }] }]
`,
  });
  expect(lines.some(({ code }) => code === "TARGET_ERROR")).toBe(true);
  expect(JSON.stringify(lines)).not.toContain("SAID-BY");
});

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { scriptedConfig } from "../packages/core/src/__fixtures__/scripted-config.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "./support/run-cli.js";

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

it("lets nobody else read what a run writes", async ({ annotate }) => {
  if (process.platform === "win32") {
    await annotate("modes of files, which Windows does not have", "untested");
    return;
  }
  const cwd = makeProject({
    "kindlm.yaml": scriptedConfig({
      suites: "  - name: s\n    tests: [{ name: t, input: hi, assert: [{ type: contains, value: hello }] }]",
    }),
  });
  const reports = [
    "--reporter",
    "json=out/report.json",
    "--reporter",
    "markdown=out/report.md",
    "--reporter",
    "html=out/report.html",
    "--events",
    "out/events.jsonl",
  ];
  const ran = await runCli(["test", "--cassette", "record", ...reports], { cwd });
  expect(ran.code).toBe(0);
  const modes: Record<string, string> = {};
  for (const top of [".kindlm", "out"]) {
    modes[top] = modeOf(join(cwd, top));
    for (const name of readdirSync(join(cwd, top), { recursive: true }).map(String)) {
      const path = join(cwd, top, name);
      modes[join(top, name)] = modeOf(path);
      expect({ name, mode: modeOf(path) }).toEqual({ name, mode: statSync(path).isDirectory() ? "700" : "600" });
    }
  }
  expect([modes[".kindlm"], modes["out"]]).toEqual(["700", "700"]);
  expect(Object.keys(modes).some((name) => name.endsWith("journal.jsonl"))).toBe(true);
});

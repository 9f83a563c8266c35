import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openTerminal } from "../packages/cli/src/__fixtures__/headless-terminal.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "./support/run-cli.js";

describe("the first test of a newcomer", () => {
  it("init writes a project that validates and passes at once, and overwrites nothing", async () => {
    const cwd = makeProject({});
    expect((await runCli(["init", "--template", "agent", "--yes"], { cwd })).code).toBe(0);
    expect((await runCli(["validate"], { cwd })).code).toBe(0);
    const ran = await runCli(["test"], { cwd });
    expect(ran.stdout).toContain("Summary: 2 passed, 0 failed, 0 errored, 0 skipped\nExit code: 0\n");
    expect(ran.code).toBe(0);
    writeFileSync(join(cwd, "kindlm.yaml"), "mine");
    expect((await runCli(["init", "--yes"], { cwd })).code).toBe(1);
    expect(readFileSync(join(cwd, "kindlm.yaml"), "utf8")).toBe("mine");
  });
});

describe("help and explain in a terminal", () => {
  it.each([40, 60, 80, 120])("breaks no word at %i columns", async (columns) => {
    const cwd = makeProject({});
    const words = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== "");
    for (const args of [["explain"], ["explain", "PROVIDER_RATE_LIMIT"], ["help"], ["help", "show"]]) {
      const terminal = openTerminal(columns, 40);
      await runCli(args, { cwd, env: { TERM: "xterm", NO_COLOR: "1" }, terminal });
      const shown = terminal.writes.join("").split("\n");
      // A command stays on one line, so it can be copied.
      expect(shown.filter((line) => line.length >= columns && !line.startsWith("  kindlm "))).toEqual([]);
      const piped = await runCli(args, { cwd });
      // Each line of a comment in an example begins with its sign.
      const told = words(piped.stdout).filter((word) => word !== "#");
      expect(words(shown.join("\n")).filter((word) => word !== "#")).toEqual(told);
    }
  });
});

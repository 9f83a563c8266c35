import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { attemptSync } from "../packages/core/src/errors/boundary.js";
import { runInWorkspace } from "./support/workspace-run.js";

/** Elsewhere only the process group of a command ends with it. */
const showsEnvironments = existsSync("/proc/self/environ");
const untested = "processes that leave their group, without /proc";

/** The ids of the living processes of this machine that have the word in their environment. */
function processesWith(word: string): readonly string[] {
  return readdirSync("/proc").filter((name) => {
    const read = attemptSync(
      () => readFileSync(`/proc/${name}/environ`, "latin1"),
      () => null,
    );
    return read.success && read.data.includes(word);
  });
}

/** A shell line that leaves processes behind in every way that a shell knows, each with the word in its environment. */
function leaving(word: string): string {
  const stay = `env WORD=${word} sh -c 'echo $$ >> "$1"; exec sleep 600' stay`;
  return [
    `nohup ${stay} nohup >/dev/null 2>&1 &`,
    `setsid ${stay} setsid >/dev/null 2>&1 &`,
    `( ( setsid nohup ${stay} forked >/dev/null 2>&1 & ) & )`,
    "until [ -s nohup ] && [ -s setsid ] && [ -s forked ]; do :; done",
  ].join("\n");
}

describe("a process that is left behind", () => {
  it("by a command ends with it, or with the trial", async ({ annotate }) => {
    if (!showsEnvironments) return void (await annotate(untested, "untested"));
    const word = randomUUID();
    const noneIsThere =
      "! grep -qs sleep $(printf '/proc/%s/cmdline ' $(cat nohup setsid forked)) && rm nohup setsid forked";
    const { trial } = await runInWorkspace({
      calls: [
        { tool: "bash_run", args: { cmd: leaving(word) } },
        { tool: "bash_run", args: { cmd: noneIsThere } },
        { tool: "bash_run", args: { cmd: `${leaving(word)}\nmkfifo wait; cat wait`, background: true } },
        { tool: "bash_run", args: { cmd: "until [ -p wait ]; do :; done" } },
      ],
      assert: [
        { type: "command", command: ["sh", "-c", `rm nohup setsid forked; ${leaving(word)}`], cwd: "workspace" },
      ],
    });
    expect(trial).toMatchObject({ status: "passed" });
    expect(trial.toolCalls.map(({ result }) => result)).toMatchObject([
      { ok: true },
      { ok: true },
      { ok: true },
      { ok: true },
    ]);
    expect(processesWith(word)).toEqual([]);
  });

  it.each([true, false])("by a trial that runs out of time ends with it (sandbox: %s)", async (sandbox) => {
    if (!showsEnvironments) return;
    const word = randomUUID();
    const { trial } = await runInWorkspace({
      workspace: { sandbox },
      calls: [
        { tool: "bash_run", args: { cmd: `${leaving(word)}\nsleep 600`, background: true } },
        { tool: "bash_run", args: { cmd: `until [ -s forked ]; do :; done; WORD=${word} sleep 600` } },
      ],
      suite: { timeouts: { trial: "600ms" } },
    });
    expect(trial).toMatchObject({ error: { code: "ENGINE_TIMEOUT" } });
    expect(processesWith(word)).toEqual([]);
  });

  it("by a program under test ends with it", async ({ annotate }) => {
    if (!showsEnvironments) return void (await annotate(untested, "untested"));
    const word = randomUUID();
    const target = { command: `${leaving(word)}\necho Done`, shell: true };
    const { trial } = await runInWorkspace({ calls: [], tools: [], suite: { target } });
    expect(trial).toMatchObject({ status: "passed", workspace: { changes: [{}, {}, {}] } });
    expect(processesWith(word)).toEqual([]);
  });
});

import { existsSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { noteMissing, sandboxesHere } from "./support/sandboxes.js";
import { runInWorkspace, type ReportedTrial, type ScriptedCall, type WorkspaceRun } from "./support/workspace-run.js";

const run = (cmd: string, more = {}): ScriptedCall => ({ tool: "bash_run", args: { cmd, ...more } });

async function exceed(
  limits: object,
  calls: readonly ScriptedCall[],
  { workspace = {}, env = {} }: { workspace?: object } & Pick<WorkspaceRun, "env"> = {},
): Promise<ReportedTrial & { stderr: string }> {
  const temporary = makeProject({});
  const { trial, stderr } = await runInWorkspace({
    calls,
    workspace: { ...workspace, limits },
    env: { ...env, TMPDIR: temporary },
  });
  expect(readdirSync(temporary)).toEqual([]);
  return { ...trial, stderr };
}

const broken = (message: RegExp) => ({
  status: "errored",
  error: { code: "ENGINE_BUDGET_EXCEEDED", message: expect.stringMatching(message) },
});

/** Doubles the processes five times, and each starts a last one: should nothing end the 126, they end by themselves. */
const bomb = "f() { if [ $1 -gt 0 ]; then f $(($1 - 1)) & f $(($1 - 1)) & fi; sleep 10; }; f 5";

describe.concurrent("the limits of a workspace end a trial whose commands", () => {
  it("start more and more processes, in each kind of sandbox and without one", async ({ annotate }) => {
    if (!existsSync("/proc/self/environ")) return void (await annotate("processes, without /proc", "untested"));
    const here = await sandboxesHere();
    await noteMissing(here, "more and more processes", { annotate });
    const places = [...here.values(), { workspace: { sandbox: false } }];
    const trials = places.map((place) => exceed({ processes: 40 }, [run(bomb), run("true")], place));
    for (const trial of await Promise.all(trials)) {
      expect(trial).toMatchObject(broken(/^The commands of the agent started \d+ processes, at most 40 are allowed$/));
    }
  });

  it("fill the disk, within a command or after the last call of a tool", async () => {
    expect(
      await exceed({ size: "10MB" }, [run("head -c 50M /dev/zero > $HOME/big; sleep 10"), run("true")]),
    ).toMatchObject(broken(/wrote more than 10 MB$/));
    const truncated = run("truncate -s 1T sparse; head -c 9M /dev/zero > most");
    expect(await exceed({ size: "10MB" }, [truncated])).toMatchObject({ status: "passed" });
  });

  it("make many files", async () => {
    const making = "for i in $(seq 40); do echo > $i; done";
    expect(await exceed({ files: 60 }, [run(making)])).toMatchObject({ status: "passed" });
    expect(await exceed({ files: 20 }, [run(making), run("true")])).toMatchObject(broken(/made more than 20 files$/));
  });

  it("run too long, all together", async () => {
    const calls = [run("sleep 10", { background: true }), run("sleep 10")];
    expect(await exceed({ time: "200ms" }, calls)).toMatchObject(broken(/ran for more than 200 ms$/));
  });
});

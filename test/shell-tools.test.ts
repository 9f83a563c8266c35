import { describe, expect, it } from "vitest";
import { noteMissing, sandboxesHere } from "./support/sandboxes.js";
import { runInWorkspace, type ScriptedCall, type WorkspaceRun } from "./support/workspace-run.js";

const run = (cmd: string, more = {}): ScriptedCall => ({ tool: "bash_run", args: { cmd, ...more } });
const logs = (id: string, more = {}): ScriptedCall => ({ tool: "bash_logs", args: { id, ...more } });
const kill = (id: string): ScriptedCall => ({ tool: "bash_kill", args: { id } });

async function results(calls: readonly ScriptedCall[], more: Omit<WorkspaceRun, "calls"> = {}): Promise<unknown[]> {
  const { trial } = await runInWorkspace({ suite: { limits: { max_turns: 40 } }, ...more, calls });
  return trial.toolCalls.map(({ result, error }) => result ?? error?.message);
}

const here = await sandboxesHere();
/** Every way in which commands run here. */
const places: readonly (Omit<WorkspaceRun, "calls"> & { workspace?: object })[] = [
  ...here.values(),
  { workspace: { sandbox: false } },
];

describe("bash_run, bash_logs and bash_kill", () => {
  it("return what a command wrote and how it ended: an exit code that is not 0 is a result, as is a signal, or its number by the rule of shells in a sandbox", async ({
    annotate,
  }) => {
    await noteMissing(here, "shell commands", { annotate });
    const calls = [
      run("cat a.txt; echo $NAME >&2; echo b > b.txt; exit 3"),
      run("sleep 60", { timeout_ms: 50 }),
      run("cat b.txt; mkfifo ready; (echo one; echo three) > log; cat ready; cat log", { background: true }),
      run("until [ -p ready ]; do :; done; echo two > ready"),
      run("echo first; mkfifo held; cat held", { background: true }),
      run("until [ -p held ]; do :; done"),
      run("true", { timeout_ms: 0 }),
      kill("bash_2"),
      kill("bash_1"),
      logs("bash_1"),
      logs("bash_1", { offset: 6 }),
      logs("bash_2"),
      logs("bash_3"),
      run("kill -9 $$"),
      run("(sh -c 'kill -TERM $$'; exit $?) 2>/dev/null"),
    ];
    const seed = { files: { "a.txt": "a\n" }, env: { NAME: "Ada" } };
    const everywhere = await Promise.all(
      places.map(({ workspace, ...place }) => results(calls, { ...place, workspace: { ...seed, ...workspace } })),
    );
    const ended = { stdout: "", stderr: "", truncated: false, signal: null };
    const first = { ok: true, id: "bash_1", running: false, exit_code: 0, next_offset: 16, truncated: false };
    const expected = [
      { ...ended, ok: false, exit_code: 3, stdout: "a\n", stderr: "Ada\n" },
      { ...ended, ok: false, exit_code: null, signal: "SIGKILL", timed_out: true },
      { ok: true, id: "bash_1" },
      { ...ended, ok: true, exit_code: 0 },
      { ok: true, id: "bash_2" },
      { ...ended, ok: true, exit_code: 0 },
      "timeout_ms must be at least 1",
      { ok: true, id: "bash_2", exit_code: null, signal: "SIGKILL" },
      { ok: true, id: "bash_1", exit_code: 0, signal: null },
      { ...first, output: "b\ntwo\none\nthree\n" },
      { ...first, output: "one\nthree\n" },
      { ok: true, id: "bash_2", running: false, exit_code: null, output: "first\n", next_offset: 6, truncated: false },
      'Background command "bash_3" not found. There is bash_1, bash_2',
    ];
    const inner = { ...ended, ok: false, exit_code: 143 };
    const outside = { ...ended, ok: false, exit_code: null, signal: "SIGKILL" };
    const inside = { ...ended, ok: false, exit_code: 137 };
    expect(everywhere).toEqual([...[...here].map(() => [...expected, inside, inner]), [...expected, outside, inner]]);
  });

  it("keep the start and the end of long output", async () => {
    const [short, log] = (await results([
      run("echo start; yes | head -c 20M; echo end >&2; echo end"),
      run("yes 0123456 | head -c 2M; touch done", { background: true }),
      run("until [ -e done ]; do sleep 0.01; done"),
      kill("bash_1"),
      logs("bash_1", { offset: 1_000 }),
    ]).then((all) => [all[0], all[4]])) as [{ stdout: string; stderr: string; truncated: boolean }, unknown];
    expect(short).toMatchObject({ ok: true, truncated: true, stderr: "end\n" });
    expect(short.stdout).toMatch(/^start\ny\n(y\n)*…\n\[\d+ characters are left out\]\n…(y\n)+end\n$/);
    expect(short.stdout.length).toBeLessThan(33_000);
    expect(log).toMatchObject({ truncated: true, output: expect.stringMatching(/^…(.*\n)+.*…$/) });
  });
});

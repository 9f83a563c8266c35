import { expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "./support/run-cli.js";
import { runInWorkspace, workspaceConfig, type ScriptedCall, type WorkspaceRun } from "./support/workspace-run.js";

const read: ScriptedCall = { tool: "fs_read", args: { path: "a.txt" } };
const edit: ScriptedCall = { tool: "fs_edit", args: { path: "a.txt", old: "one", new: "two" } };
const write: ScriptedCall = { tool: "fs_write", args: { path: "a.txt", content: "two" } };
const edits = [{ path: "a.txt", old: "one", new: "two" }];
const workspace = { files: { "a.txt": "one\n" } };
const stale = '"a.txt" has changed since you last read it. Read it again with fs_read';

/** Runs it with the fault, and gives the lines of the log, too. */
async function runWithFault(
  fault: Readonly<Record<string, unknown>>,
  run: WorkspaceRun & { calls: readonly ScriptedCall[] },
) {
  const suite = { faults: [{ kind: "external_edit", ...fault }] };
  const ran = await runInWorkspace({ workspace, suite, args: ["--log-format", "json"], ...run });
  const log = ran.stderr.split("\n").filter((line) => line.includes("outside of the file tools"));
  return { ...ran.trial, log: log.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

it.each([
  ["append", { append: "more\n" }, edit],
  ["replace, the file of the call", { path: undefined, replace: { old: "one", new: "1" } }, write],
  ["content", { content: "else" }, { tool: "fs_multi_edit", args: { edits } }],
])("makes the edit of an agent stale by %s", async (_name, change, call) => {
  const { toolCalls, log, ...trial } = await runWithFault(
    { tool: call.tool, call: 1, path: "a.txt", ...change },
    { calls: [read, call, read, call], assert: [{ type: "recovers_from", tool: call.tool }] },
  );
  const [, first, again] = toolCalls;
  expect(JSON.stringify(first)).toContain(JSON.stringify(stale).slice(1, -1));
  expect(first).toMatchObject({ fault: { id: `external_edit:${call.tool}`, kind: "external_edit" } });
  expect(again).toMatchObject({ result: { path: "a.txt" } });
  expect(trial).toMatchObject({ error: null });
  expect(log).toMatchObject([
    { message: "A file was changed outside of the file tools", path: "a.txt", case: expect.anything() as string },
  ]);
  expect(Date.parse(String(log[0]?.["modified_at"]))).toBeGreaterThan(Date.now() - 600_000);
});

it("is reported like a change by a command", async () => {
  const other: ScriptedCall = { tool: "fs_write", args: { path: "b.txt", content: "b" } };
  const shell = (cmd: string): ScriptedCall => ({ tool: "bash_run", args: { cmd } });
  const suite = { faults: [] };
  const calls = [read, other, shell("rm a.txt && echo >> b.txt"), shell("echo late > b.txt")];
  const { toolCalls, log } = await runWithFault({}, { calls, suite });
  expect(toolCalls.map(({ error }) => error ?? null)).toEqual([null, null, null, null]);
  expect(log.map(({ message, path }) => [message, path])).toEqual([
    ["A file was deleted outside of the file tools", "a.txt"],
    ["A file was changed outside of the file tools", "b.txt"],
    ["A file was changed outside of the file tools", "b.txt"],
  ]);
});

it("is not blamed on an agent that leaves the file as it was then, and says whose change it is", async () => {
  const { status, workspace: record } = await runWithFault(
    { tool: "fs_read", path: "new/b.txt", content: "theirs" },
    {
      calls: [read],
      assert: [
        { type: "files_changed", none: true },
        { type: "file", path: "new/b.txt", equals: "theirs" },
        { type: "file", path: "new/b.txt", unchanged: true },
      ],
    },
  );
  expect(status).toBe("passed");
  expect(record?.changes).toMatchObject([
    { path: "new", kind: "folder" },
    { path: "new/b.txt", change: "added", isExternal: true },
  ]);
});

it.each([
  [{ path: "b.txt", append: "x" }, 'on call 1, there is no file "b.txt"'],
  [{ path: "a.txt", replace: { old: "three", new: "3" } }, 'on call 1, it leaves "a.txt" as it was'],
])("that cannot change anything makes the trial errored: %j", async (fault, why) => {
  const { error } = await runWithFault({ tool: "fs_read", ...fault }, { calls: [read] });
  expect(error?.message).toContain(`The fault "external_edit:fs_read" never fired: ${why}`);
});

it.each([
  [{ append: "x", content: "y" }, '"content", "append" and "replace" cannot be combined'],
  [{}, "The fault does not say what is changed"],
  [{ path: "../a.txt", append: "x" }, "must be a relative path that stays in it"],
])("is refused in a config: %j", async (fault, message) => {
  const suite = { faults: [{ kind: "external_edit", tool: "fs_read", ...fault }] };
  const config = workspaceConfig({ calls: [], suite });
  const { stderr } = await runCli(["validate"], { cwd: makeProject({ "kindlm.yaml": config }) });
  expect(stderr).toContain(message);
});

it("is refused in a config without a workspace", async () => {
  const suite = { faults: [{ kind: "external_edit", tool: "todo_read", path: "a", append: "x" }] };
  const config = workspaceConfig({ calls: [], workspace: false, tools: ["todo_*"], suite });
  const { stderr } = await runCli(["validate"], { cwd: makeProject({ "kindlm.yaml": config }) });
  expect(stderr).toContain('Fault "external_edit:todo_read" needs a workspace');
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "./support/run-cli.js";
import { runInWorkspace, workspaceConfig, type ReportedTrial, type ScriptedCall } from "./support/workspace-run.js";

/** What the page of the KODE SDK on tools says about lists of tasks. */
const todo = (id: string, status: string): object => ({ id, title: `Do ${id}`, status });
const write = (...todos: readonly object[]): ScriptedCall => ({ tool: "todo_write", args: { todos } });
const read: ScriptedCall = { tool: "todo_read", args: {} };

interface WithMessages {
  messages: { role: string; content?: string }[];
  toolCalls: { events?: { name: string }[] }[];
}

const remindersIn = (trial: ReportedTrial): (string | null)[] =>
  (trial as unknown as WithMessages).messages.flatMap(({ role, content = "" }) =>
    role === "tool" ? [/<system-reminder>\n([^]*)\n<\/system-reminder>$/.exec(content)?.[1] ?? null] : [],
  );

const open = [
  "These todos are not completed:",
  "1. [in_progress] Do a",
  "2. [pending] Do b",
  "Keep the list up to date with todo_write while you work.",
  "Do not answer this reminder, and do not mention it to the user.",
].join("\n");

describe("TodoManager for auto-reminders and events", () => {
  it("reminds of open todos after so many turns without a change, and of a list that was emptied", async () => {
    const calls = [
      read,
      write(todo("a", "in_progress"), todo("b", "pending"), todo("c", "completed")),
      read,
      [read, read],
      read,
      read,
      write(),
      read,
    ];
    const suite = { todos: { remind_after: 2 } };
    const { trial } = await runInWorkspace({ calls, workspace: false, tools: ["todo_*"], suite, args: ["--verbose"] });
    const empty = [
      "Your todo list is empty. Write a new one with todo_write if there is more to do.",
      "Do not answer this reminder, and do not mention it to the user.",
    ].join("\n");
    expect(remindersIn(trial)).toEqual([null, null, null, null, open, null, open, empty, null]);
    expect(
      (trial as unknown as WithMessages).toolCalls.map(({ events = [] }) => events.map(({ name }) => name).join(" ")),
    ).toEqual(["", "todo_changed", "", "", "todo_reminder", "", "todo_reminder", "todo_changed todo_reminder", ""]);
    expect(trial.toolCalls[4]?.result).toEqual(trial.toolCalls[3]?.result);
  });

  it("says nothing unless the test asks for it, and is in the event log", async () => {
    const calls = [write(todo("a", "in_progress"), todo("b", "pending")), read, read, read];
    const quiet = await runInWorkspace({ calls, workspace: false, tools: ["todo_*"], args: ["--verbose"] });
    expect(remindersIn(quiet.trial)).toEqual([null, null, null, null]);
    const cwd = makeProject({
      "kindlm.yaml": workspaceConfig({
        calls,
        workspace: false,
        tools: ["todo_*"],
        suite: { todos: { remind_after: 3 } },
        assert: [{ type: "event", name: "todo_reminder", data: { reason: "interval" } }],
      }),
    });
    expect(await runCli(["test", "--events", "events.jsonl"], { cwd })).toMatchObject({ code: 0 });
    expect(readFileSync(join(cwd, "events.jsonl"), "utf8")).toContain('"name":"todo_reminder"');
  });
});

describe("todo", () => {
  it("looks at the list that the agent wrote last", async () => {
    const { trial } = await runInWorkspace({
      calls: [write(todo("a", "pending")), write(todo("a", "completed"), todo("b", "in_progress"))],
      workspace: false,
      tools: ["todo_*"],
      assert: [
        { type: "todo", all: "completed" },
        { type: "todo", title: "Do a", status: "completed" },
        { type: "todo", title: { $contains: "c" } },
        { type: "todo", min: 3 },
        { type: "todo", status: "pending", max: 0 },
      ],
    });
    const list = 'the list is "Do a" (completed), "Do b" (in_progress)';
    expect(trial.assertions.map(({ pass, message }) => [pass, message])).toEqual([
      [false, 'Expected all todos to be completed, but "Do b" is in_progress'],
      [true, '1 todos that are completed with title "Do a"'],
      [false, `Expected at least 1 todos with title containing "c", but there are 0: ${list}`],
      [false, `Expected at least 3 todos, but there are 2: ${list}`],
      [true, "0 todos that are pending"],
    ]);
    const { trial: without } = await runInWorkspace({
      calls: [],
      workspace: false,
      tools: ["todo_*"],
      assert: [{ type: "todo", all: "completed" }],
    });
    expect(without.assertions[0]?.message).toBe("Expected all todos to be completed, but the agent wrote no todos");
  });
});

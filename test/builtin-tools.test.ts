import { describe, expect, it } from "vitest";
import { runInWorkspace, type ScriptedCall } from "./support/workspace-run.js";

/** The tools of the KODE SDK, by the sections of its page on tools. */
const files = { "src/a.js": "let one = 1;\nlet two = 1;\n", "src/b.js": "let three = 3;\n", ".env": "KEY=1\n" };

async function results(...calls: readonly ScriptedCall[]): Promise<unknown[]> {
  const { trial } = await runInWorkspace({ workspace: { files }, calls });
  return trial.toolCalls.map(({ result, error }) => result ?? error?.message);
}

const read = (path: string, more = {}): ScriptedCall => ({ tool: "fs_read", args: { path, ...more } });
const edit = (path: string, old: string, text: string, more = {}): ScriptedCall => ({
  tool: "fs_edit",
  args: { path, old, new: text, ...more },
});

describe("File System Tools", () => {
  it("fs_read returns { path, offset, limit, truncated, content }", async () => {
    expect(
      await results(read("src/a.js"), read("./src/../src/a.js", { offset: 2, limit: 1 }), read("src/c.js")),
    ).toEqual([
      { path: "src/a.js", offset: 1, limit: 2000, truncated: false, content: files["src/a.js"] },
      { path: "src/a.js", offset: 2, limit: 1, truncated: true, content: "let two = 1;" },
      'File "src/c.js" not found',
    ]);
  });

  it("fs_write returns { ok, path, bytes, length }, and creates folders", async () => {
    const write: ScriptedCall = { tool: "fs_write", args: { path: "new/deep.txt", content: "é\n" } };
    expect(await results(write, read("new/deep.txt"))).toMatchObject([
      { ok: true, path: "new/deep.txt", bytes: 3, length: 2 },
      { content: "é\n" },
    ]);
  });

  it("fs_edit returns { ok, path, replacements, length }, and supports replace_all", async () => {
    const all = await results(
      read("src/a.js"),
      edit("src/a.js", "one", "eins"),
      edit("src/a.js", "= 1", "= 2"),
      edit("src/a.js", "= 1", "= 2", { replace_all: true }),
      edit("src/a.js", "four", "vier"),
      edit("src/a.js", "", "x"),
    );
    expect(all.slice(1)).toEqual([
      { ok: true, path: "src/a.js", replacements: 1, length: 27 },
      'The text in old occurs 2 times in "src/a.js". Add the lines around it, or set replace_all',
      { ok: true, path: "src/a.js", replacements: 2, length: 27 },
      'The text in old does not occur in "src/a.js". Copy it exactly as fs_read returns it',
      "old must not be empty; use fs_write to create a file",
    ]);
  });

  it("fs_multi_edit returns { ok, results[{ path, status, replacements, message? }] }", async () => {
    const edits = [
      { path: "src/a.js", old: "one", new: "eins" },
      { path: "src/b.js", old: "three", new: "drei" },
    ];
    const [, result] = await results(read("src/a.js"), { tool: "fs_multi_edit", args: { edits } });
    expect(result).toEqual({
      ok: false,
      results: [
        { path: "src/a.js", status: "ok", replacements: 1 },
        {
          path: "src/b.js",
          status: "error",
          replacements: 0,
          message: 'Read "src/b.js" with fs_read before changing it',
        },
      ],
    });
  });

  it("fs_glob returns { ok, pattern, cwd, matches, truncated }", async () => {
    const glob = (args: object): ScriptedCall => ({ tool: "fs_glob", args: { ...args } });
    expect(
      await results(
        glob({ pattern: "**/*.js" }),
        glob({ pattern: "*", cwd: "src", limit: 1 }),
        glob({ pattern: "../*" }),
      ),
    ).toEqual([
      { ok: true, pattern: "**/*.js", cwd: ".", matches: ["src/a.js", "src/b.js"], truncated: false },
      { ok: true, pattern: "*", cwd: "src", matches: ["src/a.js"], truncated: true },
      'Pattern "../*" must be relative and must not contain ..',
    ]);
  });

  it("fs_grep returns { ok, pattern, path, matches[] } for text, regular expressions and wildcards", async () => {
    const grep = (args: object): ScriptedCall => ({ tool: "fs_grep", args: { ...args } });
    expect(
      await results(
        grep({ pattern: "= 1;", path: "src/a.js" }),
        grep({ pattern: "T(WO|HREE)", regex: true, case_sensitive: false }),
        grep({ pattern: "let", path: "src/b*" }),
        grep({ pattern: "(", regex: true }),
        grep({ pattern: "x", path: "/etc/passwd" }),
      ),
    ).toEqual([
      {
        ok: true,
        pattern: "= 1;",
        path: "src/a.js",
        matches: [
          { path: "src/a.js", line: 1, column: 9, preview: "let one = 1;" },
          { path: "src/a.js", line: 2, column: 9, preview: "let two = 1;" },
        ],
      },
      {
        ok: true,
        pattern: "T(WO|HREE)",
        path: ".",
        matches: [
          { path: "src/a.js", line: 2, column: 5, preview: "let two = 1;" },
          { path: "src/b.js", line: 1, column: 5, preview: "let three = 3;" },
        ],
      },
      {
        ok: true,
        pattern: "let",
        path: "src/b*",
        matches: [{ path: "src/b.js", line: 1, column: 1, preview: "let three = 3;" }],
      },
      "Invalid regular expression: /(/: Unterminated group",
      'Path "/etc/passwd" is outside the workspace',
    ]);
  });
});

describe("FilePool", () => {
  it("validateWrite refuses a file that was not read, or that has changed since", async () => {
    const write: ScriptedCall = { tool: "fs_write", args: { path: "src/b.js", content: "let four = 4;\n" } };
    expect(await results(write, read("src/b.js"), write, edit("src/b.js", "four", "five"))).toMatchObject([
      'Read "src/b.js" with fs_read before changing it',
      {},
      { ok: true },
      { ok: true, replacements: 1 },
    ]);
  });
});

describe("todo_read and todo_write", () => {
  const write = (...todos: readonly object[]): ScriptedCall => ({ tool: "todo_write", args: { todos } });

  it("keep one list for the trial, with unique IDs and at most one todo in progress", async () => {
    const [a, b] = ["a", "b"].map((id) => ({ id, title: `Do ${id}`, status: "in_progress" }));
    const one = { ...a, status: "completed" };
    expect(
      await results(
        { tool: "todo_read", args: {} },
        write({ ...a }, { ...b }),
        write({ ...a }, { ...one }),
        write(one, { ...b }),
        { tool: "todo_read", args: {} },
      ),
    ).toEqual([
      { todos: [] },
      "Only one todo can be in progress, not 2: a, b",
      'Two todos have the ID "a"',
      { ok: true, todos: [one, b] },
      { todos: [one, b] },
    ]);
  });
});

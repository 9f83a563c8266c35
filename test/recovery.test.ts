import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { fileOn, readPage } from "./support/docs/pages.js";
import { repository, runCli, stable } from "./support/run-cli.js";

const files = `    tools:
      - name: fs_read
        parameters: { type: object, properties: { path: { type: string } }, required: [path] }
        responses:
          - when: { path: src/helper.ts }
            error: { type: logical, message: "File not found: src/helper.ts" }
        default: { return: "export const answer = 42;" }
        recommendations: [Verify the file path is correct, Use fs_glob to search for files]
      - name: fs_glob
        parameters: { type: object, properties: { pattern: { type: string } }, required: [pattern] }
        default: { return: { matches: [src/lib/helper.ts] } }
      - name: fs_delete
        parameters: { type: object, properties: { path: { type: string } }, required: [path] }
        default: { return: { deleted: true } }
`;

const configOf = (rules: string): string => `version: 1
models:
  - id: offline
    provider: scripted
    script:
      rules:
${rules}
      otherwise: { text: "Sorry, I cannot help with that." }
suites:
  - name: files
${files}    tests:
      - name: file-not-found
        input: What does src/helper.ts export?
        assert:
          - { type: recovers_from, tool: fs_read, error_type: logical, via: [fs_glob], within: 1 }
          - { type: recovers_from, tool: fs_read }
          - { type: no_blind_retry, tool: fs_read, errors: any }
          - { type: contains, value: answer }
      - name: missing-parameter
        input: Read the helper in src/lib.
        assert:
          - { type: fixes_arguments, tool: fs_read }
          - { type: no_blind_retry }
          - { type: no_tool_errors, error_type: [runtime, logical] }
          - { type: no_redundant_calls }
      - name: asks-before-deleting
        conversation:
          - { user: Delete src/lib/helper.ts }
          - { user: "Yes, I am sure" }
        assert:
          - { type: asks_before, tool: fs_delete, question: { $contains: helper.ts } }
          - { type: tool_called, tool: fs_delete }
`;

const read = (path: string) => `{ tool_calls: [{ tool: fs_read, args: { path: ${path} } }] }`;
const readNothing = "{ tool_calls: [{ tool: fs_read, args: {} }] }";
const remove = "{ tool_calls: [{ tool: fs_delete, args: { path: src/lib/helper.ts } }] }";

/** Looks for what is not there, puts right what was wrong, and asks. */
const careful = `
        - { when: { last_tool_result: { errorType: logical } }, reply: { tool_calls: [{ tool: fs_glob, args: { pattern: "src/**/helper.ts" } }] } }
        - { when: { last_tool_result: { errorType: validation } }, reply: ${read("src/lib/helper.ts")} }
        - { when: { last_tool_result: { matches: [src/lib/helper.ts] } }, reply: ${read("src/lib/helper.ts")} }
        - { when: { last_tool_result: { $contains: answer } }, reply: { text: It exports answer. } }
        - { when: { last_tool_result: { deleted: true } }, reply: { text: It is deleted. } }
        - { when: { user: { $contains: export } }, reply: ${read("src/helper.ts")} }
        - { when: { user: { $contains: Read } }, reply: ${readNothing} }
        - { when: { user: { $contains: Delete } }, reply: { text: "Shall I really delete src/lib/helper.ts?" } }
        - { when: { user: { $contains: Yes } }, reply: ${remove} }`.slice(1);

/** Repeats what failed until it has had enough, and deletes at once. */
const hasty = `
        - { when: { last_tool_result: { deleted: true } }, reply: { text: "It is deleted. Anything else?" } }
        - { when: { user: { $contains: export }, turn: { $lte: 2 } }, reply: ${read("src/helper.ts")} }
        - { when: { user: { $contains: Read }, turn: { $lte: 2 } }, reply: ${readNothing} }
        - { when: { user: { $contains: Delete } }, reply: ${remove} }`.slice(1);

describe("an agent whose tools fail", () => {
  it.each([
    ["careful", careful, 0, 0],
    ["hasty", hasty, 1, 3],
  ])("is judged by what it does next: the %s one", async (name, rules, code, failures) => {
    const cwd = makeProject({ "kindlm.yaml": configOf(rules) });
    const ran = await runCli(["test"], { cwd });
    expect(ran.stderr).toMatch(new RegExp(`^(✗ files/.+\\n){${failures}}$`));
    expect(ran.code).toBe(code);
    await expect(stable(ran.stdout, cwd)).toMatchFileSnapshot(`__golden__/recovery-${name}.txt`);
  });

  it("shows in the JSON report which calls were in question", async () => {
    const cwd = makeProject({ "kindlm.yaml": configOf(hasty) });
    const ran = await runCli(["test", "-t", "missing-parameter", "--reporter", "json"], { cwd });
    const report = JSON.parse(ran.stdout) as {
      suites: { tests: { assertions: { type: string; pass: boolean; actual: unknown }[] }[] }[];
    };
    const refused = { tool: "fs_read", args: {}, error: { errorType: "validation", retryable: false } };
    expect(report.suites[0]?.tests[0]?.assertions).toMatchObject([
      { type: "fixes_arguments", pass: false, actual: { refused: { ...refused, turn: 1 }, after: [{ turn: 2 }] } },
      { type: "no_blind_retry", pass: false, actual: [{ failed: { ...refused, turn: 1 }, again: { turn: 2 } }] },
      { type: "no_tool_errors", pass: true },
      { type: "no_redundant_calls", pass: true },
    ]);
  });
});

describe("docs/recovery.md", () => {
  const page = readPage("docs/recovery.md");
  const example = join(repository, "examples", "tool-failures");

  it("shows the example as it is, in no more than 20 lines", () => {
    const written = readFileSync(join(example, "kindlm.yaml"), "utf8");
    expect(fileOn("docs/recovery.md", "kindlm.yaml")).toBe(written);
    expect(written.trimEnd().split("\n").length).toBeLessThanOrEqual(20);
  });

  it("is right that the example passes once the agent stops", async () => {
    const cwd = makeProject({});
    cpSync(example, cwd, { recursive: true });
    writeFileSync(join(cwd, "before.yaml"), readFileSync(join(example, "after.yaml"), "utf8"));
    expect((await runCli(["test"], { cwd })).code).toBe(0);
  });

  it("writes assertions that are valid", async () => {
    const shown = [...page.matchAll(/`(\{ type: [^`]*\})`/g)].map((match) => match[1] ?? "");
    const blocks = [...page.matchAll(/^ *- (\{ type: .*\})$/gm)].map((match) => match[1] ?? "");
    expect(shown.length).toBeGreaterThanOrEqual(6);
    const tools = ["read_file", "search_files", "charge_card", "cancel_order", "fs_read", "fs_glob"];
    const cwd = makeProject({
      "kindlm.yaml": `version: 1
models: [{ id: offline, provider: scripted, script: { otherwise: { text: hi } } }]
suites:
  - name: s
    tools: [${tools.map((name) => `{ name: ${name}, default: { return: null } }`).join(", ")}]
    tests:
      - name: t
        input: hi
        assert:
${[...shown, ...blocks].map((assertion) => `          - ${assertion}`).join("\n")}
`,
    });
    const ran = await runCli(["validate"], { cwd });
    expect(ran.stderr).toBe("");
    expect(ran.code).toBe(0);
  });
});

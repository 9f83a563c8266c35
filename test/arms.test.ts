import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "./support/run-cli.js";

const skill = `---
name: csv
description: How to write CSV files
---

# CSV

1. Separate by semicolons.
   - Quote what has a comma.

\`\`\`bash
echo
\`\`\`
`;

/** Loads the skill if it has the tool, and does as it says; else draws whether it does well. */
const script = {
  rules: [
    {
      when: { turn: 1, tools: { $includes: "skills" } },
      reply: { tool_calls: [{ tool: "skills", args: { action: "load", skill_name: "csv" } }] },
    },
    { when: { last_tool_result: { data: { content: { $contains: "semicolons" } } } }, reply: { text: "a;b" } },
    {
      when: { user: { $contains: "report" } },
      choose: [
        { weight: 0.3, reply: { text: "a;b" } },
        { weight: 0.7, reply: { text: "a,b" } },
      ],
    },
  ],
  otherwise: { text: "a,b" },
};

const test = {
  name: "writes",
  input: "Write a report on {{row.id}}",
  rows: ["a", "b", "c", "d", "e", "f", "g", "h"].map((id) => ({ id })),
  assert: [{ type: "contains", value: ";" }],
};

const arms = [
  { id: "without", allow_failure: "lacks the skill" },
  { id: "with-skill", tools: ["skills"] },
  { id: "placebo", placebo_of: "with-skill", allow_failure: "has neutral text" },
];

type Suite = Readonly<Record<string, unknown>>;

function project(suite: Suite, config: Suite = {}): string {
  return makeProject({
    ".skills/csv/SKILL.md": skill,
    ".skills/csv/scripts/count.sh": "wc\n",
    "kindlm.yaml": JSON.stringify({
      version: 1,
      models: [{ id: "agent", provider: "scripted", script }],
      ...config,
      suites: [{ name: "reports", tools: ["fs_*"], workspace: {}, runs: 4, arms, tests: [test], ...suite }],
    }),
  });
}

interface Reported {
  id: string;
  arm?: string;
  status: string;
  passes: number;
  trials: { output: string; toolCalls: { result: { data: { content: string; scripts: string[] } } }[] }[];
}

async function report(cwd: string, args: readonly string[] = []) {
  const ran = await runCli(["test", "--reporter", "json", "--verbose", ...args], { cwd });
  const { suites } = JSON.parse(ran.stdout) as { suites: { tests: Reported[] }[] };
  return { ...ran, tests: suites[0]?.tests ?? [] };
}

/** The suite as it is, with reports for programs and for people. */
const usual = (async () => {
  const cwd = project({});
  const files = ["--reporter", "pretty=arms.txt", "--reporter", "html=arms.html"];
  return { cwd, ...(await report(cwd, files)) };
})();

describe("arms", () => {
  it("runs every test in every arm, one after the other, with the same luck and a placebo of the same length", async () => {
    const { tests, code } = await usual;
    expect(tests.slice(0, 6).map(({ id }) => id)).toEqual(
      ["a", "b"].flatMap((row) => arms.map(({ id }) => `reports/writes[${row}]@agent~${id}`)),
    );
    const of = (arm: string): Reported[] => tests.filter((one) => one.arm === arm);
    expect(of("with-skill").map(({ passes }) => passes)).toEqual(Array(8).fill(4));
    expect(of("without").some(({ status }) => status === "failed")).toBe(true);
    // The failures of the control are allowed.
    expect(code).toBe(0);
    const [first] = of("placebo");
    const { content, scripts } = first?.trials[0]?.toolCalls[0]?.result.data ?? { content: "", scripts: ["none"] };
    const shapeOf = (text: string): number[] => text.split("\n").map((line) => line.length);
    expect(shapeOf(content)).toEqual(shapeOf(skill));
    expect(content).toMatch(/^---\nname: csv\ndescription: How to write CSV files\n---\n\n# \w+/);
    expect(content).not.toContain("semicolon");
    expect(scripts).toEqual([]);
  });

  it("compares each arm with the first and with its placebo, and lets a gate ask for help", async () => {
    const cwd = project({ gates: { arms: { "with-skill": 0, placebo: 0 } } });
    const { code, stdout } = await runCli(["test", "--reporter", "json"], { cwd });
    const { arms: compared, gates } = JSON.parse(stdout) as {
      arms: { differences: Record<string, unknown>[] }[];
      gates: { name: string; pass: boolean }[];
    };
    const [reports] = compared;
    expect(reports?.differences).toMatchObject([
      { from: "without", to: "with-skill", cases: 8, verdict: "better", turns: { from: 1, to: 2 } },
      { from: "without", to: "placebo", verdict: "no_difference_shown" },
      { from: "placebo", to: "with-skill", verdict: "better", about: "such_cases" },
    ]);
    expect(code).toBe(1);
    expect(gates.map(({ name, pass }) => [name, pass])).toEqual([
      ["arms.with-skill", true],
      ["arms.placebo", false],
    ]);
    const shown = await runCli(["report", "--reporter", "pretty", "--reporter", "markdown=arms.md"], { cwd });
    expect(shown.stdout).toContain("with-skill against without: better");
    expect(readFileSync(`${cwd}/arms.md`, "utf8")).toContain("**placebo against without: no difference shown**");
  });

  it("is named by gates as it is, and by what may fail", async () => {
    const misspelt = project({ gates: { arms: { "with-skil": 0 } } });
    const { code, stderr } = await runCli(["validate"], { cwd: misspelt });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/Unknown arm "with-skil"[^]*Did you mean "with-skill"\?/),
    ]);
    const { cwd } = await usual;
    expect(readFileSync(`${cwd}/arms.txt`, "utf8")).toMatch(/ALLOWED TO FAIL[^]*~without: 8 failed of 8 cases/);
    expect(readFileSync(`${cwd}/arms.html`, "utf8")).toContain("with-skill against without: better");
  });

  it("gives arms the same luck, and chooses them by their names", async () => {
    const twins = [{ id: "one" }, { id: "two" }];
    const cwd = project({ arms: twins });
    const { tests, stderr } = await report(cwd);
    const outputs = (arm: string): string[] =>
      tests.filter((one) => one.arm === arm).flatMap(({ trials }) => trials.map(({ output }) => output));
    expect(new Set(outputs("one")).size).toBe(2);
    expect(outputs("one")).toEqual(outputs("two"));
    expect(stderr).toContain('The arms "one" and "two" are the same');
    const chosen = await report(cwd, ["-t", "[a]@agent~two"]);
    expect(chosen.tests.map(({ id }) => id)).toEqual(["reports/writes[a]@agent~two"]);
  });

  it("lays an arm over the suite and over what a test sets itself", async () => {
    const files = { "notes/a.md": "one" };
    const echo = {
      rules: [
        {
          when: { turn: 1, tools: { $includes: "fs_read" } },
          reply: { tool_calls: [{ tool: "fs_read", args: { path: ".claude/skills/csv/SKILL.md" } }] },
        },
      ],
      otherwise: { text: "{{last_tool_result}}" },
    };
    const cwd = project(
      {
        workspace: { files },
        runs: 1,
        system_prompt: "x",
        arms: [
          { id: "without" },
          { id: "with", workspace: { files: { ".claude/skills/csv/SKILL.md": skill } }, system_prompt_file: "p.md" },
          { id: "placebo", placebo_of: "with" },
        ],
        tests: [
          {
            name: "own",
            input: "x",
            workspace: { files: { "b.md": "two" } },
            assert: [{ type: "contains", value: "semi" }],
          },
          { name: "shared", input: "x", assert: [{ type: "contains", value: "semi" }] },
        ],
      },
      { models: [{ id: "agent", provider: "scripted", script: echo }] },
    );
    writeFileSync(`${cwd}/p.md`, "Be brief");
    const { tests } = await report(cwd);
    expect(tests.map(({ id, status }) => [id, status])).toEqual([
      ["reports/own@agent~without", "failed"],
      ["reports/own@agent~with", "passed"],
      ["reports/own@agent~placebo", "failed"],
      ["reports/shared@agent~without", "failed"],
      ["reports/shared@agent~with", "passed"],
      ["reports/shared@agent~placebo", "failed"],
    ]);
  });

  it.each<[string, unknown, string[]]>([
    ["one arm", [{ id: "a" }], ["One arm compares nothing"]],
    ["an id twice", [{ id: "a" }, { id: "a", skills: "x" }], ['The arm id "a" is already used in this suite']],
    ["a strange id", [{ id: "a" }, { id: "b c" }], ["The id of an arm has letters"]],
    ["a mistyped key", [{ id: "a" }, { id: "b", skill: "x" }], ['Unknown key "skill"', 'Did you mean "skills"?']],
    ["what is to be the same", [{ id: "a" }, { id: "b", assert: [] }], ['Unknown key "assert"']],
    ["a placebo of nobody", [{ id: "a" }, { id: "b", placebo_of: "c" }], ['Arm "c" not found']],
    [
      "a placebo with settings",
      [{ id: "a" }, { id: "b", placebo_of: "a", skills: "x" }],
      ['"skills" of the placebo "b"'],
    ],
    ["a placebo of nothing", [{ id: "a" }, { id: "b", placebo_of: "a" }], ['A placebo of "a" would be the same']],
    [
      "a folder that is not there",
      [{ id: "a" }, { id: "b", skills: "nowhere" }],
      ['Skills folder "nowhere" not found'],
    ],
    ["a model that is not there", [{ id: "a" }, { id: "b", models: ["gtp"] }], ['"gtp"', "kindlm.yaml:"]],
  ])("says what is wrong: %s", async (_name, written, expected) => {
    const cwd = project({ arms: written });
    const { code, stderr } = await runCli(["validate"], { cwd });
    expect(code).toBe(1);
    for (const text of expected) expect(stderr).toContain(text);
  });

  it("points at the key of the arm", async () => {
    const cwd = makeProject({
      "kindlm.yaml": `version: 1
models: [{ id: agent, provider: scripted, script: { rules: [], otherwise: { text: a } } }]
suites:
  - name: s
    arms:
      - id: a
      - id: b
        skills: nowhere
    tests: [{ name: t, input: x, assert: [{ type: contains, value: a }] }]
`,
    });
    const { stderr } = await runCli(["validate"], { cwd });
    expect(stderr).toContain("kindlm.yaml:8:17");
  });
});

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { makeProject } from "../../packages/core/src/__fixtures__/make-project.js";
import { scriptedConfig } from "../../packages/core/src/__fixtures__/scripted-config.js";
import { repository, runCli } from "../support/run-cli.js";

interface Agent {
  agent: string;
  package: string;
  version: string;
  program: string;
  /** Its own call that writes `made.txt`. */
  shell(command: string): { tool: string; args: Readonly<Record<string, unknown>> };
}

/** The agents as their makers publish them, in the versions that docs/coding-agents.md names. */
const agents: readonly Agent[] = [
  ...["2.1.197", "2.1.330"].map((version) => ({
    agent: "claude-code",
    package: "@anthropic-ai/claude-code",
    version,
    program: "claude",
    shell: (command: string) => ({ tool: "Bash", args: { command, description: "Runs it" } }),
  })),
  {
    agent: "codex",
    package: "@openai/codex",
    version: "0.169.0",
    program: "codex",
    shell: (command) => ({ tool: "exec_command", args: { cmd: command } }),
  },
  {
    agent: "gemini-cli",
    package: "@google/gemini-cli",
    version: "0.61.0",
    program: "gemini",
    shell: (command) => ({ tool: "run_shell_command", args: { command } }),
  },
  {
    agent: "opencode",
    package: "opencode-ai",
    version: "1.18.33",
    program: "opencode",
    shell: (command) => ({ tool: "bash", args: { command, description: "Runs it" } }),
  },
];

/** Installs an agent next to the packages of this project, once. */
function install({ agent, package: name, version }: Agent): void {
  const folder = folderOf(agent, version);
  if (existsSync(join(folder, "node_modules", ".bin"))) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  execFileSync("npm", ["install", "--no-audit", "--no-fund", `${name}@${version}`], { cwd: folder, stdio: "pipe" });
}

function folderOf(agent: string, version: string): string {
  return join(repository, "node_modules", ".cache", "kindlm-agents", `${agent}-${version}`);
}

interface Trial {
  status: string;
  output: string;
  error: unknown;
  toolCalls: { tool: string; result?: unknown; error?: unknown }[];
}

describe.each(agents)("$agent $version, unmodified", (one) => {
  beforeAll(() => install(one));

  /** Runs one test in a home that holds settings of a user, and gives its trial and what that home holds then. */
  async function run(rules: readonly object[], suite: object, test: object): Promise<{ trial: Trial; home: string[] }> {
    const program = join(folderOf(one.agent, one.version), "node_modules", ".bin", one.program);
    const whole = {
      name: "s",
      workspace: { files: { "seed.txt": "seed" } },
      target: { agent: one.agent, program },
      ...suite,
      tests: [{ name: "t", assert: [{ type: "turns", min: 1 }], ...test }],
    };
    const cwd = makeProject({
      "kindlm.yaml": scriptedConfig({ rules: JSON.stringify(rules), suites: `  - ${JSON.stringify(whole)}` }),
    });
    const home = join(cwd, "home");
    mkdirSync(home);
    const env = { PATH: process.env["PATH"] ?? "", HOME: home };
    const { stdout } = await runCli(["test", "--reporter", "json", "--verbose"], { cwd, env });
    const report = JSON.parse(stdout) as { suites: { tests: { trials: Trial[] }[] }[] };
    const trial = report.suites[0]?.tests[0]?.trials[0];
    if (trial === undefined) throw new Error(stdout);
    return { trial, home: readdirSync(home) };
  }

  const made = one.shell("echo made > made.txt");
  const done = { when: { turn: 2 }, reply: { text: "Done" } };

  it("answers, changes a file with its own tool, and goes on, without a look at the user's home", async () => {
    const rules = [
      { when: { turn: 1 }, reply: { tool_calls: [made] } },
      done,
      { when: { turn: 3 }, reply: { text: "You said {{user}}" } },
    ];
    const conversation = [{ user: "Make a file" }, { user: "And now?" }];
    const assert = [
      { type: "files_changed", only: ["made.txt"] },
      { type: "contains", value: "You said And now?" },
    ];
    const { trial, home } = await run(rules, {}, { conversation, assert });
    expect(trial).toMatchObject({ status: "passed", error: null, toolCalls: [{ tool: made.tool }] });
    expect(home).toEqual([]);
  });

  it("does not run its own tool where the test simulates it", async () => {
    const rules = [{ when: { turn: 1 }, reply: { tool_calls: [made] } }, done];
    const tools = [{ name: made.tool, default: { return: "simulated" } }];
    const { trial } = await run(rules, { tools }, { input: "Go", assert: [{ type: "files_changed", none: true }] });
    expect(trial).toMatchObject({ status: "passed", output: "Done", toolCalls: [{ result: "simulated" }] });
  });

  it("meets the fault of a simulated tool, and recovers", async () => {
    const pay = { name: "pay", parameters: { amount: "number" }, default: { return: { paid: true } } };
    const call = { tool: "pay", args: { amount: 5 } };
    const rules = [
      { when: { turn: 1 }, reply: { tool_calls: [call] } },
      { when: { turn: 2 }, reply: { tool_calls: [call] } },
      { when: { turn: 3 }, reply: { text: "Paid" } },
    ];
    const faults = [{ tool: "pay", kind: "error", call: 1, error: { message: "busy", retryable: true } }];
    const { trial } = await run(
      rules,
      { tools: [pay] },
      { input: "Pay", faults, assert: [{ type: "recovers_from", tool: "pay" }] },
    );
    expect(trial).toMatchObject({
      status: "passed",
      output: "Paid",
      toolCalls: [
        { tool: "pay", error: { message: "busy" } },
        { tool: "pay", result: { paid: true } },
      ],
    });
  });
});

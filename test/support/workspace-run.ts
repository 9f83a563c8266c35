import { expect } from "vitest";
import { makeProject } from "../../packages/core/src/__fixtures__/make-project.js";
import { reportErrors } from "./report-errors.js";
import { runCli } from "./run-cli.js";

/** A call as the scripted agent makes it. */
export interface ScriptedCall {
  tool: string;
  args: Readonly<Record<string, unknown>>;
}

export interface WorkspaceRun {
  /** What the agent calls, one answer of the model after the other; several calls of one answer are an inner list. */
  calls: readonly (ScriptedCall | readonly ScriptedCall[])[];
  /** `workspace:` of the suite. Default: empty. */
  workspace?: unknown;
  /** `tools:` of the suite. Default: all built-in tools. */
  tools?: readonly unknown[];
  assert?: readonly unknown[];
  /** More keys of the suite. */
  suite?: Readonly<Record<string, unknown>>;
  /** More keys of the config. */
  config?: Readonly<Record<string, unknown>>;
  /** Files of the project, by path. */
  files?: Readonly<Record<string, string>>;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
}

/** A trial as the JSON report has it, as far as these tests read it. */
export interface ReportedTrial {
  status: string;
  error: { code: string; message: string } | null;
  toolCalls: { tool: string; result: unknown; error: { errorType: string; message: string } | null }[];
  assertions: { type: string; pass: boolean; message: string }[];
  workspace?: {
    changes: { path: string; change: string; diff?: string; kind?: string }[];
    escapes?: { path: string; access: string }[];
    kept?: string;
    sandbox?: "bwrap" | "unshare" | "none";
  };
}

/** The config of a run: a scripted agent that makes the calls and then says "Done". */
export function workspaceConfig(run: Omit<WorkspaceRun, "files" | "args" | "env">): string {
  const {
    calls,
    workspace = {},
    tools = ["*"],
    assert = [{ type: "contains", value: "Done" }],
    suite = {},
    config = {},
  } = run;
  const rules = calls.map((call, index) => ({
    when: { turn: index + 1 },
    reply: { tool_calls: [call].flat() },
  }));
  return JSON.stringify({
    version: 1,
    models: [{ id: "agent", provider: "scripted", script: { rules, otherwise: { text: "Done" } } }],
    ...config,
    suites: [{ name: "files", workspace, tools, ...suite, tests: [{ name: "test", input: "Do it", assert }] }],
  });
}

/** Runs it through the built command line, and gives the one trial. */
export async function runInWorkspace({ files = {}, args = [], env = {}, ...run }: WorkspaceRun): Promise<{
  cwd: string;
  code: number | null;
  stderr: string;
  trial: ReportedTrial;
}> {
  const cwd = makeProject({ ...files, "kindlm.yaml": workspaceConfig(run) });
  const ran = await runCli(["test", "--reporter", "json", ...args], { cwd, env });
  const report: unknown = JSON.parse(ran.stdout || "null");
  expect(reportErrors(report), ran.stderr).toEqual([]);
  const { suites } = report as { suites: { tests: { trials: ReportedTrial[] }[] }[] };
  const [trial] = suites[0]?.tests[0]?.trials ?? [];
  if (trial === undefined) throw new Error(`There is no trial: ${ran.stderr}`);
  return { cwd, code: ran.code, stderr: ran.stderr, trial };
}

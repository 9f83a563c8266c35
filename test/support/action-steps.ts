import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publishResult } from "../../action/publish-result.js";
import { makeProject } from "../../packages/core/src/__fixtures__/make-project.js";
import { FakeGithub, repositoryName, token } from "./fake-github.js";
import { repository } from "./run-cli.js";

interface StepOutcome {
  code: number | null;
  stdout: string;
  /** What the step set for others. */
  outputs: Record<string, string>;
  /** What it added to the page of the job. */
  summary: string;
}

/** What a runner gives to a step, and what it reads afterwards. */
export function stepOf(env: Record<string, string>, cwd: string) {
  const folder = makeProject({ output: "", summary: "" });
  const [output, summary] = [join(folder, "output"), join(folder, "summary")];
  const files = { GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary, RUNNER_TEMP: folder, GITHUB_WORKSPACE: cwd };
  return {
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, CI: "true", GITHUB_ACTIONS: "true", ...files, ...env },
    outcome: () => ({ outputs: outputsIn(readFileSync(output, "utf8")), summary: readFileSync(summary, "utf8") }),
  };
}

/** Runs one of the scripts of the action as a runner does, in an environment that has nothing else. */
export function runStep(script: string, given: Record<string, string>, cwd = tmpdir()): Promise<StepOutcome> {
  const { env, outcome } = stepOf(given, cwd);
  return new Promise((resolve) => {
    const program = join(repository, "action", script);
    const child = execFile(process.execPath, [program], { cwd, env }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout: `${stdout}${stderr}`, ...outcome() }),
    );
  });
}

function outputsIn(text: string): Record<string, string> {
  const found = [...text.matchAll(/^([\w-]+)<<(\S+)\n([^]*?)\n\2$/gm)];
  return Object.fromEntries(found.map(([, name = "", , value = ""]) => [name, value]));
}

const eventPath = (name: string): string => join(repository, "test", "fixtures", "github-events", `${name}.json`);
export const headSha = "ec26c3e57ca3a959ca5aad62de7213c562f8c821";

export interface Published {
  event?: string;
  inputs?: Record<string, string>;
  /** What the reporter pr-comment wrote; null if there is no report. */
  text?: string | null;
  /** Keys of the JSON report. */
  report?: Record<string, unknown>;
}

export const red = { verdict: "failed", run: {}, summary: { passed: 1, failed: 2, errored: 0, skipped: 0 } };
export const green = { verdict: "passed", run: {}, summary: { passed: 3, failed: 0, errored: 0, skipped: 0 } };
export const redText = "### ✗ KindLM: refunds regressed\n\n1 passed · 2 failed\n";
export const greenText = "✓ KindLM: 3 passed\n";

/** The environment of the step that comments, after a run with this report. */
export function environmentOf(given: Published): Record<string, string> {
  const { event = "pull_request", inputs = {}, text = redText, report = red } = given;
  const lines = Object.entries(report).map(([key, value]) => `"${key}": ${JSON.stringify(value)},\n`);
  const folder = makeProject(
    text === null ? {} : { "comment.md": text, "report.json": `{\n${lines.join("")}"suites": [\n{"big": 1}\n]\n}\n` },
  );
  const named = Object.entries({ token, ...inputs }).map(
    ([key, value]) => [`INPUT_${key.toUpperCase()}`, value] as const,
  );
  return {
    GITHUB_API_URL: github.url,
    GITHUB_SERVER_URL: "https://github.test",
    GITHUB_REPOSITORY: repositoryName,
    GITHUB_RUN_ID: "42",
    GITHUB_SHA: event === "push" ? headSha : "cafecafecafecafecafecafecafecafecafecafe",
    GITHUB_EVENT_PATH: eventPath(event),
    KINDLM_REPORT: folder,
    KINDLM_ARTIFACT_URL: "https://github.test/artifacts/7",
    ...Object.fromEntries<string>(named),
  };
}

/** The step that comments, in this process. */
export async function publish(given: Published = {}): Promise<StepOutcome> {
  const { env, outcome } = stepOf(environmentOf(given), tmpdir());
  let stdout = "";
  await publishResult(env, (text: string) => (stdout += text));
  return { code: 0, stdout, ...outcome() };
}

/** The files of a worker share it: `startGithub` starts it for one of them. */
export const github = new FakeGithub();

export async function startGithub(): Promise<void> {
  await github.start();
}

/** As it is before a test. */
export function emptyGithub(): FakeGithub {
  return Object.assign(github, { comments: [], checks: [], requests: [], headSha, refuse: () => null });
}

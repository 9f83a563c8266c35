import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { success } from "../result.js";
import { askGit } from "./ask-git.js";
import type { ProcessOutcome, ProcessRequest, ProcessRunner } from "./process-runner.js";

const answers = (outcome: Partial<ProcessOutcome>, requests: ProcessRequest[] = []): ProcessRunner => ({
  run(request) {
    requests.push(request);
    const ended = { exitCode: 0, signal: null, stdout: "main\n", stderr: "", endedBy: null };
    return Promise.resolve(success({ ...ended, ...outcome }));
  },
});

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), "kindlm-git-"));
  onTestFinished(() => rmSync(made, { recursive: true }));
  mkdirSync(path.join(made, "below", "further"), { recursive: true });
  return made;
}

it("starts no git outside a repository", async () => {
  const cwd = folder();
  const requests: ProcessRequest[] = [];
  const world = { processes: answers({}, requests), env: {}, signal: null };
  expect(await askGit(["status"], world, cwd)).toBeNull();
  expect(requests).toEqual([]);
  expect(await askGit(["status"], { ...world, env: { GIT_DIR: "/elsewhere" } }, cwd)).toBe("main\n");
});

it.each([
  ["a folder", (made: string) => mkdirSync(path.join(made, ".git"))],
  ["a file, as in a worktree", (made: string) => writeFileSync(path.join(made, ".git"), "gitdir: /elsewhere\n")],
])("asks git where .git is %s, and below", async (_, make) => {
  const made = folder();
  make(made);
  const requests: ProcessRequest[] = [];
  const world = { processes: answers({}, requests), env: { HOME: "/home" }, signal: null };
  const cwd = path.join(made, "below", "further");
  expect(await askGit(["status", "--short"], world, cwd, "in")).toBe("main\n");
  const env = { HOME: "/home", GIT_OPTIONAL_LOCKS: "0" };
  expect(requests).toMatchObject([{ command: ["git", "status", "--short"], cwd, env, stdin: "in" }]);
  expect(await askGit(["status"], { ...world, processes: answers({ exitCode: 128 }) }, made)).toBeNull();
});

it("does not make an interrupted run wait for a slow git", async () => {
  const slow: ProcessRunner = {
    run: ({ signal }) =>
      new Promise((resolve) => {
        const ended = { exitCode: null, signal: "SIGTERM", stdout: "", stderr: "", endedBy: "abort" } as const;
        signal.addEventListener("abort", () => resolve(success(ended)));
      }),
  };
  const interrupt = new AbortController();
  const world = { processes: slow, env: { GIT_DIR: "/elsewhere" }, signal: interrupt.signal };
  const asking = askGit(["status"], world, "/");
  interrupt.abort();
  expect(await asking).toBeNull();
});

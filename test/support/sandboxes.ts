import type { TestContext } from "vitest";
import { pathWithout } from "./path-without.js";
import { runInWorkspace, type WorkspaceRun } from "./workspace-run.js";

/** What makes the commands of a workspace run in a kind of sandbox. */
type Place = Pick<WorkspaceRun, "env">;
export type TestedSandbox = "bwrap" | "unshare";
export type SandboxesHere = ReadonlyMap<TestedSandbox, Place>;

const names: readonly TestedSandbox[] = ["bwrap", "unshare"];

/** What this machine can have is the same for all files of tests that share the worker. */
let had: Promise<readonly TestedSandbox[]> | null = null;

/** The kinds that this machine can have. Ask in each file of tests: what it needs on the disk goes with the file. */
export async function sandboxesHere(): Promise<SandboxesHere> {
  const places: Readonly<Record<TestedSandbox, Place>> = {
    bwrap: {},
    unshare: { env: { PATH: pathWithout("bwrap") } },
  };
  had ??= findWorking(places);
  return new Map((await had).map((name) => [name, places[name]]));
}

async function findWorking(places: Readonly<Record<TestedSandbox, Place>>): Promise<readonly TestedSandbox[]> {
  const calls = [{ tool: "bash_run", args: { cmd: "true" } }];
  const runs = await Promise.all(names.map((name) => runInWorkspace({ calls, ...places[name] })));
  return names.filter((name, at) => runs[at]?.trial.workspace?.sandbox === name);
}

/** Notes in which kinds of sandboxes something was not tested. */
export async function noteMissing(
  here: SandboxesHere,
  what: string,
  { annotate }: Pick<TestContext, "annotate">,
): Promise<void> {
  for (const name of names) {
    if (!here.has(name)) await annotate(`${what} in a sandbox of ${name}, which does not work here`, "untested");
  }
}

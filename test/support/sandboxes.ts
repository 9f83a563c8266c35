import type { TestContext } from "vitest";
import { pathWithout } from "./path-without.js";
import { runInWorkspace, type WorkspaceRun } from "./workspace-run.js";

/** What makes commands of a workspace run in each kind of sandbox, if the machine can have it. */
export const sandboxes = {
  bwrap: {},
  unshare: { env: { PATH: pathWithout("bwrap") } },
} satisfies Record<string, Pick<WorkspaceRun, "env">>;
export type TestedSandbox = keyof typeof sandboxes;

const names: readonly TestedSandbox[] = ["bwrap", "unshare"];

/** The kinds that this machine can have. */
export async function sandboxesHere(): Promise<ReadonlySet<TestedSandbox>> {
  const calls = [{ tool: "bash_run", args: { cmd: "true" } }];
  const runs = await Promise.all(names.map((name) => runInWorkspace({ calls, ...sandboxes[name] })));
  return new Set(names.filter((name, at) => runs[at]?.trial.workspace?.sandbox === name));
}

/** Notes in which kinds of sandboxes something was not tested. */
export async function noteMissing(
  here: ReadonlySet<TestedSandbox>,
  what: string,
  { annotate }: Pick<TestContext, "annotate">,
): Promise<void> {
  for (const name of names) {
    if (!here.has(name)) await annotate(`${what} in a sandbox of ${name}, which does not work here`, "untested");
  }
}

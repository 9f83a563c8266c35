import type { ToolInvocation, ToolRuntime } from "../../tools/tool-runtime.js";
import type { Workspace } from "../../workspace/workspace.js";
import type { FileChangedEvent } from "./file-changed-event.js";

type Emit = (event: FileChangedEvent) => void;

/** Reports the files that have changed since the agent saw them. */
export async function reportChanges({ seen }: Pick<Workspace, "seen">, emit: Emit): Promise<void> {
  for (const change of await seen.changes()) emit({ channel: "monitor", type: "file_changed", ...change });
}

/**
 * Tools with a comparison before and after each call. What the agent sees depends on nothing else, so the same run
 * reports the same changes in the same order, which a watcher of the system would not.
 */
export function watchFiles(runtime: ToolRuntime, workspace: Workspace | null, emit: Emit): ToolRuntime {
  if (workspace === null) return runtime;
  let running = 0;
  let comparing = Promise.resolve();
  // While a tool writes, the file is ahead of what is known of it.
  const compare = (): Promise<void> =>
    (comparing = comparing.then(() => (running > 0 ? undefined : reportChanges(workspace, emit))));
  return {
    definitions: runtime.definitions,
    mayPause: runtime.mayPause,
    mayRunInParallel: (call) => runtime.mayRunInParallel(call),
    faultReports: () => runtime.faultReports(),
    async invoke(call, options): Promise<ToolInvocation> {
      await compare();
      running += 1;
      const invocation = await runtime.invoke(call, options);
      running -= 1;
      await compare();
      return invocation;
    },
  };
}

import { withInvoke, type ToolRuntime } from "../../tools/tool-runtime.js";
import type { SeenFiles } from "../../workspace/seen-files.js";
import type { FileChangedEvent } from "./file-changed-event.js";

type Emit = (event: FileChangedEvent) => void;

/** Reports the files that have changed since the agent saw them. */
export async function reportChanges(seen: Pick<SeenFiles, "changes">, emit: Emit): Promise<void> {
  for (const change of await seen.changes()) emit({ channel: "monitor", type: "file_changed", ...change });
}

/**
 * Tools with a comparison before and after each call. What the agent sees depends on nothing else, so the same run
 * reports the same changes in the same order, which a watcher of the system would not. `seen`: null without a workspace.
 */
export function watchFiles(runtime: ToolRuntime, seen: Pick<SeenFiles, "changes"> | null, emit: Emit): ToolRuntime {
  if (seen === null) return runtime;
  let running = 0;
  let comparing = Promise.resolve();
  // While a tool writes, the file is ahead of what is known of it.
  const compare = (): Promise<void> =>
    (comparing = comparing.then(() => (running > 0 ? undefined : reportChanges(seen, emit))));
  return withInvoke(runtime, async (call, options) => {
    await compare();
    running += 1;
    const invocation = await runtime.invoke(call, options);
    running -= 1;
    await compare();
    return invocation;
  });
}

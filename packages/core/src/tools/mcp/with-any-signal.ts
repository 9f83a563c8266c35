import { setMaxListeners } from "node:events";

/**
 * Runs an action whose signal aborts with the first of `sources`, for as long as the action takes. Rejects as the action
 * does.
 *
 * `AbortSignal.any` would do the same, but Node.js 20 keeps each signal of its making that still has a listener, and the
 * MCP SDK never removes its listeners: 40 kB for each trial with a server.
 */
export function withAnySignal<T>(
  sources: readonly AbortSignal[],
  action: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  const abort = ({ target }: { target: unknown }): void =>
    controller.abort(target instanceof AbortSignal ? target.reason : undefined);
  for (const source of sources) {
    if (source.aborted) controller.abort(source.reason);
    else source.addEventListener("abort", abort, { once: true });
  }
  const started = Promise.resolve().then(() => action(controller.signal));
  return started.finally(() => {
    for (const source of sources) source.removeEventListener("abort", abort);
  });
}

// oxlint-disable-next-line no-restricted-imports -- Node.js can signal a process group in no other way
import { kill } from "node:process";
import type { ChildProcess } from "node:child_process";
import { attemptSync } from "../errors/boundary.js";

/**
 * Sends a signal to a child and to all that it started. The child leads its own process group, whose id is its
 * pid; where there are no groups (Windows), or none is left, the child alone gets the signal.
 */
export function endProcessGroup(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  const { pid } = child;
  if (pid === undefined) return;
  const sent = attemptSync<boolean, null>(
    () => kill(-pid, signal),
    () => null,
  );
  if (!sent.success && child.exitCode === null && child.signalCode === null) child.kill(signal);
}

// oxlint-disable-next-line no-restricted-imports -- Node.js reports other processes, and signals a group of them, in no other way
import { kill, pid } from "node:process";
import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { attemptSync } from "../errors/boundary.js";
import { systemCodeOf } from "../files/store-error.js";

/** The id of this process. */
export const ownPid: number = pid;

/**
 * Whether there is such a process on this machine and it can still do something. One that belongs to somebody else
 * counts; one that has ended, and whose parent has not yet asked how, does not.
 */
export function isProcessAlive(id: number): boolean {
  if (hasEnded(id)) return false;
  const asked = attemptSync(
    () => id > 0 && kill(id, 0),
    (cause) => systemCodeOf(cause),
  );
  return asked.success ? asked.data : asked.error === "EPERM";
}

/** Linux reports a process that has ended (a zombie); elsewhere its signal would have to fail. */
function hasEnded(id: number): boolean {
  const stat = attemptSync(
    () => readFileSync(`/proc/${id}/stat`, "latin1"),
    () => null,
  );
  return stat.success && /\) [ZX] [^)]*$/.test(stat.data);
}

/**
 * Sends a signal to a child and to all that it started. The child leads its own process group, whose id is its
 * pid; where there are no groups (Windows), or none is left, the child alone gets the signal.
 */
export function endProcessGroup(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  const leader = child.pid;
  if (leader === undefined) return;
  const sent = attemptSync<boolean, null>(
    () => kill(-leader, signal),
    () => null,
  );
  if (!sent.success && child.exitCode === null && child.signalCode === null) child.kill(signal);
}

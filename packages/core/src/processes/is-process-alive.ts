// oxlint-disable-next-line no-restricted-imports -- Node.js reports other processes in no other way
import { kill, pid } from "node:process";
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

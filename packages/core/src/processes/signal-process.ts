// oxlint-disable-next-line no-restricted-imports -- Node.js reports other processes, and signals a group of them, in no other way
import { kill, pid, platform } from "node:process";
import { execFile, type ChildProcess } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
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
 * Whether the terminal is this process's to read from: what a shell runs in the background is stopped as soon as it reads.
 * False if it cannot be determined.
 */
export function isInForeground(): Promise<boolean> {
  if (platform === "win32") return Promise.resolve(true);
  const stat = attemptSync(
    () => readFileSync("/proc/self/stat", "latin1"),
    () => null,
  );
  if (stat.success) return Promise.resolve(leadsTerminal(stat.data));
  return new Promise((resolve) => {
    execFile("ps", ["-o", "stat=", "-p", String(pid)], (error, state) =>
      resolve(error === null && state.includes("+")),
    );
  });
}

/** The group of the process and that in the foreground are the third and the sixth field after its name. */
export function leadsTerminal(stat: string): boolean {
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return group !== undefined && group === foreground;
}

/** Signals everything that the shell started together with this process, as a terminal does at Ctrl-C. */
export function signalOwnGroup(signal: "SIGINT" | "SIGQUIT" | "SIGTSTP"): void {
  kill(0, signal);
}

/**
 * Sends a signal to a child and to all that it started. The child leads its own process group, whose id is its
 * pid; where there are no groups (Windows), or none is left, the child alone gets the signal.
 */
export function endProcessGroup(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  const isSent = signalGroup(child, signal);
  if (!isSent && child.exitCode === null && child.signalCode === null) child.kill(signal);
}

/** False if nothing is left of the group, or the system has none. */
export function signalGroup({ pid: leader }: ChildProcess, signal: NodeJS.Signals): boolean {
  if (leader === undefined) return false;
  const sent = attemptSync<boolean, null>(
    () => kill(-leader, signal),
    () => null,
  );
  return sent.success;
}

/** Whether the process got the signal. */
export function signalProcess(id: number, signal: "SIGSTOP" | "SIGKILL"): boolean {
  const sent = attemptSync(
    () => kill(id, signal),
    () => null,
  );
  return sent.success;
}

/** Kills what the child has started itself. False if there is nothing, or the system does not say. */
export function killChildren(child: ChildProcess): boolean {
  const children = childrenOf(child);
  return children.length > 0 && children.every((id) => signalProcess(id, "SIGKILL"));
}

/** How many processes there are in the sandbox that the child has made; 0 while there is none. */
export function countInSandbox(child: ChildProcess): number {
  const [first] = childrenOf(child);
  const seen = `/proc/${first}/root/proc`;
  const counted = attemptSync(
    () => {
      // Until the sandbox has its own files, those of the machine are seen here.
      if (readlinkSync(`/proc/${first}/ns/pid`) !== readlinkSync(`${seen}/1/ns/pid`)) return 0;
      return readdirSync(seen).filter((name) => /^\d+$/.test(name)).length;
    },
    () => null,
  );
  return counted.success ? counted.data : 0;
}

function childrenOf({ pid: parent }: ChildProcess): readonly number[] {
  const listed = attemptSync(
    () => readFileSync(`/proc/${parent}/task/${parent}/children`, "latin1"),
    () => null,
  );
  return listed.success ? listed.data.split(" ").filter(Boolean).map(Number) : [];
}

/** How many threads there are on this machine; null if the system does not say. Cheap, however many there are. */
export function countThreads(): number | null {
  const load = attemptSync(
    () => readFileSync("/proc/loadavg", "latin1"),
    () => null,
  );
  const total = load.success ? /\/(\d+) \d+\s*$/.exec(load.data)?.[1] : undefined;
  return total === undefined ? null : Number(total);
}

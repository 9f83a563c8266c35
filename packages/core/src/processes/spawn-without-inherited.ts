import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { attemptSync } from "../errors/boundary.js";

/** The flag of a file that Node.js opened itself, and that no program which it starts gets. */
const closeOnExec = 0o2000000;

/** The file of a maker of sandboxes that takes what the program in it writes to stderr. */
export const innerStderr = 3;

/**
 * Starts a program with pipes that gets none of the files which were open when this process was started: a folder among
 * them would lead out of any sandbox. They are replaced by one that is empty, since Node.js cannot leave them out.
 */
export function spawnWithoutInherited(program: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const inherited = inheritedFiles();
  const empty = inherited.length === 0 ? null : openSync("/dev/null", "r");
  const others = Array.from({ length: Math.max(innerStderr, ...inherited) - innerStderr }, (_, index) =>
    inherited.includes(index + innerStderr + 1) ? (empty ?? "ignore") : "ignore",
  );
  const child = spawn(program, args, { ...options, stdio: ["pipe", "pipe", "pipe", "pipe", ...others] });
  if (empty !== null) closeSync(empty);
  return child;
}

/** Their numbers, from 3; none where the system does not say. */
function inheritedFiles(): readonly number[] {
  const listed = attemptSync(
    () => readdirSync("/proc/self/fd"),
    () => null,
  );
  return listed.success ? listed.data.map(Number).filter((file) => file > 2 && !isClosedOnExec(file)) : [];
}

function isClosedOnExec(file: number): boolean {
  const info = attemptSync(
    () => readFileSync(`/proc/self/fdinfo/${file}`, "latin1"),
    () => null,
  );
  // The file by which the folder was listed is gone by now.
  if (!info.success) return true;
  const flags = /^flags:\s*([0-7]+)$/m.exec(info.data)?.[1] ?? "0";
  return (Number.parseInt(flags, 8) & closeOnExec) !== 0;
}

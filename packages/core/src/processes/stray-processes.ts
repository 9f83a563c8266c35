import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { attemptSync } from "../errors/boundary.js";
import { signalProcess } from "./signal-process.js";

/**
 * Carries the mark of a program in its environment, and in that of all that it starts, also if that leaves its group. A
 * process that is started with an empty environment has lost it.
 */
const strayVariable = "KINDLM_PROCESS";

/** How often processes are looked for that are killed and do not end, such as those that wait for a broken disk. */
const mostRounds = 1_000;

export function strayMark(): string {
  return randomUUID();
}

/** The environment with one mark more: a program that marks what it starts may have been started so itself. */
export function withMark(env: Readonly<Record<string, string | undefined>>, mark: string): NodeJS.ProcessEnv {
  const outer = env[strayVariable];
  return { ...env, [strayVariable]: outer === undefined ? mark : `${outer},${mark}` };
}

/** The ids of the living processes that carry the mark. None where the system does not show environments. */
export function findStrays(mark: string): readonly number[] {
  const listed = attemptSync(
    () => readdirSync("/proc"),
    () => null,
  );
  if (!listed.success) return [];
  return listed.data.filter((name) => /^\d+$/.test(name) && environmentOf(name)?.includes(mark) === true).map(Number);
}

/** Kills what carries the mark, and returns how many processes that were. They stand still before the first one ends. */
export function killStrays(mark: string): number {
  const found = new Set<number>();
  for (;;) {
    const others = findStrays(mark).filter((id) => !found.has(id));
    if (others.length === 0) break;
    for (const id of others) {
      found.add(id);
      signalProcess(id, "SIGSTOP");
    }
  }
  for (const id of found) signalProcess(id, "SIGKILL");
  return found.size;
}

/** Resolves when nothing is left that carries the mark. */
export async function endStrays(mark: string): Promise<void> {
  for (let round = 0; round < mostRounds && killStrays(mark) > 0; round += 1) await setImmediate();
}

/** Null for a process that has ended or belongs to somebody else. */
function environmentOf(id: string): Buffer | null {
  const read = attemptSync(
    () => readFileSync(`/proc/${id}/environ`),
    () => null,
  );
  return read.success ? read.data : null;
}

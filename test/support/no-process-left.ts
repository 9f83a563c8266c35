import { existsSync, readFileSync, readdirSync, readlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout } from "node:timers/promises";

/** What was killed last may take a moment to go, on a busy machine. */
const patienceMs = 5_000;

/**
 * Vitest's global teardown: the run fails if a process is left that a test has started. Such a process is known by the
 * folder for temporary files of this run, in which it works or of which its environment tells. Linux alone says that.
 */
export async function teardown(): Promise<void> {
  if (!existsSync("/proc/self/environ")) return;
  const giveUpAt = performance.now() + patienceMs;
  let left = processesOf(tmpdir());
  while (left.length > 0 && performance.now() < giveUpAt) {
    await setTimeout(50);
    left = processesOf(tmpdir());
  }
  if (left.length === 0) return;
  process.stderr.write(`\nTests left processes running:\n${left.map((line) => `  ${line}\n`).join("")}`);
  // An error here would be told, and change nothing.
  process.exitCode = 1;
}

function processesOf(folder: string): readonly string[] {
  return readdirSync("/proc").flatMap((id) => {
    if (!/^\d+$/.test(id) || id === String(process.pid)) return [];
    try {
      const works = `${readlinkSync(`/proc/${id}/cwd`)}/`.startsWith(`${folder}/`);
      const knows = readFileSync(`/proc/${id}/environ`, "utf8").includes(`TMPDIR=${folder}\0`);
      return works || knows ? [`${id} ${readFileSync(`/proc/${id}/cmdline`, "utf8").replaceAll("\0", " ")}`] : [];
    } catch {
      // It is gone by now, or belongs to somebody else.
      return [];
    }
  });
}

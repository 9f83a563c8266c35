import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Far more than the folders of all tests that run at a time need. */
const enoughBytes = 2 ** 29;

let made: string | null = null;

/**
 * Vitest's global setup: one folder for all temporary files of the run, in memory where the system has such a file
 * system. Each run of KindLM flushes its journal to disk, so on a slow disk the tests would wait for that alone.
 */
export function setup(): void {
  made = inMemory() ?? mkdtempSync(join(tmpdir(), "kindlm-tests-"));
  process.env["TMPDIR"] = made;
}

export function teardown(): void {
  if (made !== null) rmSync(made, { recursive: true, force: true });
}

/** Null where there is no such file system, where it is small, or where programs in it cannot be started. */
function inMemory(): string | null {
  let folder: string | null = null;
  try {
    const { bavail, bsize } = statfsSync("/dev/shm");
    if (bavail * bsize < enoughBytes) return null;
    folder = mkdtempSync("/dev/shm/kindlm-tests-");
    writeFileSync(join(folder, "starts"), "#!/bin/sh\n", { mode: 0o755 });
    execFileSync(join(folder, "starts"));
    return folder;
  } catch {
    if (folder !== null) rmSync(folder, { recursive: true, force: true });
    return null;
  }
}

import { mkdir, open, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { attempt } from "../errors/boundary.js";
import { success, type Result } from "../result.js";
import type { Clock } from "../values/clock.js";
import { systemCodeOf, writeError } from "./store-error.js";
import { privateFile, privateFolder } from "./private-modes.js";

/** Nobody holds a file for longer than a moment; a lock that is older was left behind. */
const staleLockMs = 30_000;
const lockPauseMs = 20;
const longestLockWaitMs = 10_000;

/**
 * Takes a file, there or not, for this process alone, and waits for others that have it. Gives what lets it go again. The
 * folders above it are made. Fails with STORE_WRITE_ERROR. `shown` is how people know the file.
 */
export async function lockFile(path: string, shown: string, clock: Clock): Promise<Result<() => Promise<unknown>>> {
  const file = `${path}.lock`;
  const startedAt = clock.monotonic();
  const refused = (cause: unknown) => writeError(shown, cause);
  const release = (): Promise<Result<void>> => attempt(() => rm(file, { force: true }), refused);
  const made = await attempt(() => mkdir(dirname(file), { recursive: true, mode: privateFolder }), refused);
  if (!made.success) return made;
  for (;;) {
    const taken = await attempt(async () => (await open(file, "wx", privateFile)).close(), refused);
    if (taken.success) return success(release);
    if (systemCodeOf(taken.error.cause) !== "EEXIST") return taken;
    if (clock.monotonic() - startedAt > longestLockWaitMs) return taken;
    const seen = await attempt(() => stat(file), refused);
    if (seen.success && clock.now() - seen.data.mtimeMs > staleLockMs) await release();
    await clock.sleep(lockPauseMs);
  }
}

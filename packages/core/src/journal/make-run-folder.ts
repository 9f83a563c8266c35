import { mkdir } from "node:fs/promises";
import path from "node:path";
import { attempt } from "../errors/boundary.js";
import { privateFolder } from "../files/private-modes.js";
import { writeError } from "../files/store-error.js";
import { writeAtomically } from "../files/write-atomically.js";
import { redacted } from "../redaction/redactor.js";
import { success, type Result } from "../result.js";
import type { RunFolder } from "./run-folder.js";

/**
 * Makes the folder of a run. The first run of a project sees to it that runs, unlike cassettes, are not committed. Fails
 * with STORE_WRITE_ERROR. `shown` is how people know the folder.
 */
export async function makeRunFolder({ path: own }: RunFolder, shown: string): Promise<Result<void>> {
  const made = await attempt(
    () => mkdir(own, { recursive: true, mode: privateFolder }),
    (cause) => writeError(shown, cause),
  );
  if (!made.success) return made;
  if (made.data === undefined || made.data === own) return success(undefined);
  const ignored = path.join(path.dirname(own), ".gitignore");
  // A run that can be kept is worth more than this.
  await writeAtomically(ignored, ignored, [redacted`*\n`]);
  return success(undefined);
}

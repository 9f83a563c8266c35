import { stat } from "node:fs/promises";
import type { RunComparison } from "../summary/comparison-result.js";
import { attempt } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { systemCodeOf } from "../files/store-error.js";
import { baselinesFolder } from "./baseline-place.js";
import type { ComparedRun } from "./compare-run.js";

/**
 * As `compareRun`. Costs no more than a look at the disk where no baseline was ever set.
 */
export async function compareWhenSet(run: ComparedRun): Promise<RunComparison | null> {
  const folder = await attempt(
    () => stat(baselinesFolder(run.root)),
    (cause) => kindlmError("UNKNOWN_ERROR", messageOf(cause), { cause }),
  );
  // A folder that exists but cannot be read does not mean that nothing was ever saved.
  const wasThere = run.since !== undefined && run.since.size > 0;
  if (!folder.success && isAbsent(systemCodeOf(folder.error.cause)) && !wasThere) return null;
  const { compareRun } = await import("./compare-run.js");
  return compareRun(run);
}

function isAbsent(code: string | null | undefined): boolean {
  return code === "ENOENT" || code === "ENOTDIR";
}

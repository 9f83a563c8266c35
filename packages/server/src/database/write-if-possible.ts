import { explainFailure } from "./explain-failure.js";
import { isConflict } from "./retry-conflicts.js";

/**
 * Writes what a request that reads would like to store, such as when its token was used. False if the database cannot write at
 * the moment, as on a full disk or after a switch to read-only: it may still read.
 */
export async function writeIfPossible(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (explainFailure(error) === null && !isConflict(error)) throw error;
    return false;
  }
}

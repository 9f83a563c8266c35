import { join } from "node:path";
import { safeName } from "../files/safe-name.js";

/** Where cassettes stand, in the folder of the first config. */
export const cassetteFolder = join(".kindlm", "cassettes");

/** The file of one test, below the folder of the cassettes. */
export function cassettePath(suite: string, test: string): string {
  return join(safeName(suite), `${safeName(test)}.jsonl`);
}

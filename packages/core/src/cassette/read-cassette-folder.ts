import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { attempt } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { readText } from "../files/open-for-reading.js";
import { readError } from "../files/store-error.js";
import { success, type Result } from "../result.js";
import { mostCassetteBytes, type CassettePlace } from "./cassette-files.js";
import { cassetteFolder } from "./cassette-path.js";

/** A file of cassettes as it stands. */
export interface CassetteText extends CassettePlace {
  text: string;
}

/** All files of cassettes below a folder, by name; none where there is no such folder. Fails with STORE_CORRUPT. */
export async function readCassetteFolder(root: string): Promise<Result<readonly CassetteText[]>> {
  const folder = join(root, cassetteFolder);
  const files: CassetteText[] = [];
  const suites = await namesIn(folder);
  for (const suite of suites) {
    // One file after the other, so that few are open at a time.
    for (const name of await namesIn(join(folder, suite))) {
      if (!name.endsWith(".jsonl")) continue;
      const path = join(folder, suite, name);
      const shown = join(cassetteFolder, suite, name).replaceAll("\\", "/");
      const read = await attempt(
        () => readText(path, mostCassetteBytes),
        (cause) => readError(shown, cause),
      );
      if (!read.success) return read;
      files.push({ path, shown, text: read.data });
    }
  }
  return success(files);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const listed = await attempt(
    () => readdir(folder),
    (cause) => kindlmError("UNKNOWN_ERROR", messageOf(cause), { cause }),
  );
  return listed.success ? listed.data.toSorted() : [];
}

import { readlink } from "node:fs/promises";
import path from "node:path";
import { attempt } from "../../errors/boundary.js";
import { kindlmError } from "../../errors/kindlm-error.js";
import { messageOf } from "../../errors/message-of.js";
import { walkTree } from "../../workspace/tree.js";

/**
 * The files of a folder that is copied for each trial, absolute and sorted. What cannot be copied, or leads out of the
 * copy, is refused. `what`: such as `workspace`.
 */
export async function listFolder(
  folder: string,
  what: string,
  refuse: (message: string) => void,
): Promise<readonly string[]> {
  const files: string[] = [];
  const links: string[] = [];
  const walked = await attempt(
    async () => {
      await walkTree(folder, (place, { kind }) => {
        if (kind === "file") files.push(path.join(folder, place));
        if (kind === "link") links.push(place);
        if (kind === "other") refuse(`"${place}" in the ${what} is neither a file, a folder nor a link`);
        return true;
      });
      for (const link of links) {
        const target = await readlink(path.join(folder, link));
        const leads = path.resolve(folder, path.dirname(link), target);
        const isInside = !path.isAbsolute(target) && (leads === folder || leads.startsWith(folder + path.sep));
        if (!isInside) refuse(`The link "${link}" in the ${what} leads out of it`);
      }
    },
    (cause) => kindlmError("CONFIG_FILE_REF_ERROR", messageOf(cause), { cause }),
  );
  if (!walked.success) refuse(`The ${what} cannot be read: ${walked.error.message}`);
  return files.toSorted();
}

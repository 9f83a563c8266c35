import { askGit, type GitPorts } from "../processes/ask-git.js";

/** Of these files, relative to `cwd`, the ones that git leaves out of commits; none if git does not say. */
export async function findIgnored(files: readonly string[], world: GitPorts, cwd: string): Promise<readonly string[]> {
  // Git fails if none is.
  const ignored = await askGit(
    ["check-ignore", "-z", "--stdin"],
    world,
    cwd,
    files.map((file) => `${file}\0`).join(""),
  );
  return (ignored ?? "").split("\0").filter((file) => file !== "");
}

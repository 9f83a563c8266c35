import type { Stats } from "node:fs";
import { walkTree } from "./tree.js";

/**
 * Files with several names. Package managers and git make hard links within what is theirs; one that leads to a file
 * elsewhere shows what is not the agent's to read.
 */
export class OwnLinks {
  readonly #territory: string;
  /** How many names a file had in the territory when that was last listed. */
  #names = new Map<string, number>();

  constructor(territory: string) {
    this.#territory = territory;
  }

  /** Whether all names of the file are in the territory. */
  async hold({ dev, ino, nlink }: Pick<Stats, "dev" | "ino" | "nlink">): Promise<boolean> {
    const key = `${dev} ${ino}`;
    // The listing is slow, and a folder of packages has thousands of such files.
    if ((this.#names.get(key) ?? 0) >= nlink) return true;
    this.#names = await namesIn(this.#territory);
    return (this.#names.get(key) ?? 0) >= nlink;
  }
}

async function namesIn(folder: string): Promise<Map<string, number>> {
  const names = new Map<string, number>();
  await walkTree(folder, (_place, { kind, stats }) => {
    if (kind === "file" && stats.nlink > 1n) {
      const key = `${stats.dev} ${stats.ino}`;
      names.set(key, (names.get(key) ?? 0) + 1);
    }
    return true;
  });
  return names;
}

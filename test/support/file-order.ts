import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Words of tests that start processes: the more of them a file has, the more processes it mostly starts. */
const words =
  /\b(?:spawn|exec|execFile|fork)(?:Sync)?\(|\b(?:runProcess|startCli|runInShell|startServerProcess|sandbox|shell|workspace)\b|\bcommand: /g;
/** The database of the results server takes some 500 MB, which its worker keeps. */
const opensDatabases = /[\\/]packages[\\/]server[\\/]/;

/**
 * Runs first what starts many processes, as long as the workers are small: to start one takes 3 ms when its parent has
 * 200 MB of memory and 13 ms when it has 900. What needs most memory comes after that. `--sequence.shuffle` draws the order.
 */
export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { shuffle, seed } = this.ctx.config.sequence;
    if (shuffle === true) return sortedBy(files, (file) => drawOf(file, seed));
    // Within a rank the longest first, so that both workers end at the same time.
    const longestFirst = sortedBy(files, (file) => -statSync(file).size);
    return sortedBy(longestFirst, rankOf);
  }
}

/** In ascending order. What is equal stays in its order. */
function sortedBy(files: readonly TestSpecification[], keyOf: (file: string) => number): TestSpecification[] {
  const keyed = files.map((file) => ({ file, key: keyOf(file.moduleId) }));
  return keyed.toSorted((a, b) => a.key - b.key).map(({ file }) => file);
}

function drawOf(file: string, seed: number): number {
  return createHash("sha256").update(`${seed} ${file}`).digest().readUInt32BE();
}

function rankOf(file: string): number {
  if (opensDatabases.test(file)) return -0.5;
  return -(readFileSync(file, "utf8").match(words)?.length ?? 0);
}

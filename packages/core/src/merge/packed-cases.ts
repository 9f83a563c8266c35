import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { TestResult } from "../engine/run-result.js";
import { reviveCase } from "../journal/read-run-file.js";
import { createLazyList } from "./lazy-list.js";

/** How many lines are packed together: those of one block are unpacked at once. */
const blockLines = 64;
/** Cases of which nothing is packed, in all shards together, so that merges of a usual size unpack nothing. */
const mostHeld = 20_000;

/** How many cases may still be held that do not have to be. */
export interface Room {
  left: number;
}

export const createRoom = (): Room => ({ left: mostHeld });

/**
 * The cases of a shard in their order. Those that did not pass are held, since reports have much to say of each, and
 * others while there is room. The rest is kept as packed lines, of some dozens of bytes per case.
 */
export class PackedCases {
  readonly #room: Room;
  readonly #held = new Map<number, TestResult>();
  readonly #blocks: Buffer[] = [];
  #open: string[] = [];
  #unpacked: { block: number; lines: readonly string[] } = { block: -1, lines: [] };
  #count = 0;

  constructor(room: Room) {
    this.#room = room;
  }

  add(test: TestResult, line: string): void {
    const isPlain = test.status === "passed" || test.status === "skipped";
    const isHeld = !isPlain || this.#room.left > 0;
    if (isHeld) this.#held.set(this.#count, test);
    if (isHeld && isPlain) this.#room.left -= 1;
    this.#open.push(isHeld ? "" : line);
    this.#count += 1;
    if (this.#open.length === blockLines) this.#pack();
  }

  /** The cases from a number on, as a list. */
  list(from: number, length: number): readonly TestResult[] {
    return createLazyList(length, (index) => this.#at(from + index));
  }

  #pack(): void {
    // A copy: what the library returns is a part of a larger buffer.
    this.#blocks.push(Buffer.from(deflateRawSync(this.#open.join("\n"), { level: 1 })));
    this.#open = [];
  }

  #at(index: number): TestResult | undefined {
    return this.#held.get(index) ?? reviveCase(this.#lineAt(index));
  }

  #lineAt(index: number): string {
    const block = Math.floor(index / blockLines);
    const packed = this.#blocks[block];
    if (packed === undefined) return this.#open[index % blockLines] ?? "";
    if (this.#unpacked.block !== block) {
      this.#unpacked = { block, lines: inflateRawSync(packed).toString("utf8").split("\n") };
    }
    return this.#unpacked.lines[index % blockLines] ?? "";
  }
}

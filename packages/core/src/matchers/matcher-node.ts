import { preview } from "../values/preview.js";
import type { Mismatch } from "./matcher.js";

/** One piece of a compiled matcher. `undefined` as a value means absence. */
export interface MatcherNode {
  readonly source: unknown;
  /** True when it holds no operator, so that its source can be shown as the value that is wanted. */
  readonly isPlain: boolean;
  /** Allocates nothing for plain values and most operators. */
  accepts(value: unknown): boolean;
  /** Reports every difference, and nothing when the value is accepted. */
  explain(value: unknown, report: MismatchReport): void;
  /** What is wanted, in about `room` characters. */
  describe(room: number): string;
}

/** Collects the first 20 mismatches of one value, and knows where in the value it stands. */
export interface MismatchReport {
  readonly mismatches: readonly Mismatch[];
  isFull(): boolean;
  /** A mismatch at the current place. */
  add(expected: unknown, actual: unknown): void;
  /** A mismatch at a place below that is already written as a path. */
  addBelow(below: string, expected: unknown, actual: unknown): void;
  /** A mismatch one step below. */
  addAt(step: string | number, expected: unknown, actual: unknown): void;
  /** Lets a matcher explain what stands one step below. */
  explainAt(step: string | number, node: MatcherNode, value: unknown): void;
}

/** A node that looks at the value as a whole, with its words for what is wanted. */
export function wordsNode(source: unknown, words: string, accepts: (value: unknown) => boolean): MatcherNode {
  return {
    source,
    isPlain: false,
    accepts,
    explain: (value, report) => {
      if (!accepts(value)) report.add(words, value);
    },
    describe: () => words,
  };
}

/** Matches the one scalar, or absence for undefined. */
export function scalarNode(wanted: unknown): MatcherNode {
  const accepts = Number.isNaN(wanted) ? (value: unknown) => Number.isNaN(value) : (value: unknown) => value === wanted;
  return {
    source: wanted,
    isPlain: true,
    accepts,
    explain: (value, report) => {
      if (!accepts(value)) report.add(wanted, value);
    },
    describe: (room) => (wanted === undefined ? "absent" : preview(wanted, room)),
  };
}

/** Replaces what could not be compiled. */
export const neverNode: MatcherNode = wordsNode(undefined, "a valid matcher", () => false);

/** Matches when all do. */
export function everyNode(source: unknown, nodes: readonly MatcherNode[]): MatcherNode {
  const [first] = nodes;
  if (nodes.length === 1 && first !== undefined) return first;
  return {
    source,
    isPlain: false,
    accepts: (value) => {
      for (const node of nodes) if (!node.accepts(value)) return false;
      return true;
    },
    explain: (value, report) => {
      for (const node of nodes) node.explain(value, report);
    },
    describe: (room) => joinWords(nodes, " and ", room),
  };
}

/** The words of several nodes in one text. */
export function joinWords(nodes: readonly Pick<MatcherNode, "describe">[], separator: string, room: number): string {
  const words: string[] = [];
  let length = 0;
  for (const node of nodes) {
    if (length > room) {
      words.push("…");
      break;
    }
    const text = node.describe(Math.max(1, room - length));
    words.push(text);
    length += text.length + separator.length;
  }
  return words.join(separator);
}

/** What a mismatch of the whole node is said to have wanted. */
export function wantedOf(node: MatcherNode): unknown {
  return node.isPlain ? node.source : node.describe(120);
}

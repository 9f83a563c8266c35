import { renderPath } from "../values/preview.js";
import type { Mismatch } from "./matcher.js";
import type { MatcherNode } from "./matcher-node.js";

const most = 20;

/** Collects the first 20 mismatches of one value, and knows where in the value it stands. */
export class MismatchReport {
  readonly #found: Mismatch[] = [];
  readonly #path: (string | number)[] = [];

  get mismatches(): readonly Mismatch[] {
    return this.#found;
  }

  get isFull(): boolean {
    return this.#found.length >= most;
  }

  /** A mismatch at the current place. */
  add(expected: unknown, actual: unknown): void {
    if (!this.isFull) this.#found.push({ path: renderPath(this.#path), expected, actual });
  }

  /** A mismatch at a place below that is already written as a path. */
  addBelow(below: string, expected: unknown, actual: unknown): void {
    const here = renderPath(this.#path);
    const separator = here === "" || below === "" || below.startsWith("[") ? "" : ".";
    if (!this.isFull) this.#found.push({ path: `${here}${separator}${below}`, expected, actual });
  }

  /** A mismatch one step below. */
  addAt(step: string | number, expected: unknown, actual: unknown): void {
    this.#path.push(step);
    this.add(expected, actual);
    this.#path.pop();
  }

  /** Lets a matcher explain what stands one step below. */
  explainAt(step: string | number, node: MatcherNode, value: unknown): void {
    this.#path.push(step);
    node.explain(value, this);
    this.#path.pop();
  }
}

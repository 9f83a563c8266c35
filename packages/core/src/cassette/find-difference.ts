import { isRecord } from "../values/json.js";
import { preview, renderPath } from "../values/preview.js";

export interface Difference {
  /** Such as `messages[0].content`. */
  path: string;
  recorded: string;
  asked: string;
}

type Steps = readonly (string | number)[];

const shownBefore = 20;
const shownLength = 60;

/** The first place where two values differ, in the order of their keys; null where they are equal. */
export function findDifference(recorded: unknown, asked: unknown): Difference | null {
  for (const { steps, left, right } of differences(recorded, asked, [])) {
    return { path: renderPath(steps) || "the whole", ...shownApart(left, right) };
  }
  return null;
}

/** How many places differ, up to `most`. */
export function countDifferences(recorded: unknown, asked: unknown, most: number): number {
  const found = differences(recorded, asked, []);
  let count = 0;
  while (count < most && found.next().done !== true) count += 1;
  return count;
}

function* differences(
  left: unknown,
  right: unknown,
  steps: Steps,
): Generator<{ steps: Steps; left: unknown; right: unknown }> {
  if (Array.isArray(left) && Array.isArray(right)) {
    for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
      yield* differences(left[index], right[index], [...steps, index]);
    }
  } else if (isRecord(left) && isRecord(right)) {
    for (const key of [...new Set([...Object.keys(left), ...Object.keys(right)])].toSorted()) {
      yield* differences(left[key], right[key], [...steps, key]);
    }
  } else if (!Object.is(left, right)) {
    yield { steps, left, right };
  }
}

/** Long strings are shown from shortly before their first difference. */
function shownApart(left: unknown, right: unknown): { recorded: string; asked: string } {
  if (typeof left !== "string" || typeof right !== "string") {
    return { recorded: preview(left, shownLength), asked: preview(right, shownLength) };
  }
  let same = 0;
  while (same < left.length && left[same] === right[same]) same += 1;
  const from = Math.max(0, same - shownBefore);
  return { recorded: excerpt(left, from), asked: excerpt(right, from) };
}

function excerpt(text: string, from: number): string {
  const end = from + shownLength;
  return JSON.stringify(`${from > 0 ? "…" : ""}${text.slice(from, end)}${end < text.length ? "…" : ""}`);
}

import { parseOwnJson, type JsonValue } from "./json.js";
import { attemptSync } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { failure, type Result } from "../result.js";
import { keepExactIntegers } from "./exact-integers.js";

/** How deep lists and objects from outside may nest. What looks into them goes a step down the stack for each level. */
const deepestJson = 200;
/** The longest JSON text of a value from outside, characters. */
export const longestJson = 10 * 1_048_576;

/** What a source may have beyond the limits of a value. */
export interface JsonRoom {
  /** Levels that the source puts around values which may have all levels themselves. */
  around?: number;
  /** Characters, if the source has its own limit. */
  chars?: number;
}

/** For the body of an exchange over HTTP, whose length is limited while it is received. */
export const bodyRoom = { around: 16, chars: Number.POSITIVE_INFINITY } as const;

/** For a line of one of KindLM's own files, which users commit and merge. */
export const fileRoom = { around: 40, chars: Number.POSITIVE_INFINITY } as const;

const tooDeep = (levels: number): string => `nested deeper than ${levels} levels`;
const tooLong = (chars: number): string => `larger than ${Math.round(chars / 1_048_576)} MiB`;
const limitTexts = /^(?:nested deeper than \d+ levels|larger than \d+ MiB)$/;

/**
 * Parses JSON from outside: everything that models, tools, agents, servers and files write. The failure completes "It
 * is …", or says what is wrong with its syntax; see {@link describeJsonProblem}.
 */
export function parseJson(text: string, { around = 0, chars = longestJson }: JsonRoom = {}): Result<JsonValue, string> {
  if (text.length > chars) return failure(tooLong(chars));
  const parsed = attemptSync<JsonValue, string>(() => keepExactIntegers(text, parseOwnJson(text)), messageOf);
  // Each level takes two brackets.
  if (!parsed.success || text.length <= 2 * (deepestJson + around)) return parsed;
  const limit = jsonLimitOf(parsed.data, around);
  return limit === null ? parsed : failure(limit);
}

/** What is wrong with a value that was parsed elsewhere, completing "It is …"; null if it is within the limits. */
export function jsonLimitOf(value: unknown, around = 0): string | null {
  const levels = deepestJson + around;
  return depthExceeds(value, levels) ? tooDeep(levels) : null;
}

/** As {@link jsonLimitOf}, for text that is written out already. */
export function textLimitOf(text: string): string | null {
  return text.length > longestJson ? tooLong(longestJson) : null;
}

/** Makes of the failure of {@link parseJson} what completes "It is …". */
export function describeJsonProblem(reason: string): string {
  return isJsonLimit(reason) ? reason : `not valid JSON: ${reason}`;
}

/** Whether {@link parseJson} failed for a limit, so that the text may be valid JSON. */
export function isJsonLimit(reason: string): boolean {
  return limitTexts.test(reason);
}

/** Level by level, since a step down the stack for each would end the process. Also ends for values in a circle. */
function depthExceeds(value: unknown, levels: number): boolean {
  let level = isNested(value) ? [value] : [];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === levels) return true;
    const next: object[] = [];
    for (const holder of level) {
      // `Object.values` would copy a list.
      const items: readonly unknown[] = Array.isArray(holder) ? holder : Object.values(holder);
      for (const item of items) if (isNested(item)) next.push(item);
    }
    // Parts that are shared level by level make more paths than anybody could follow. What was parsed shares none.
    if (next.length > wideLevel && new Set(next).size < next.length) return true;
    level = next;
  }
  return false;
}

const wideLevel = 1_000_000;

function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

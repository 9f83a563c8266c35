import type { AssertionResult } from "../assertions/assertion-result.js";
import { isRecord } from "../values/json.js";

/** What stands where a sensitive text was. */
export const maskedText = "[masked]";

interface Assessed {
  assertions: readonly AssertionResult[];
}

/**
 * A copy of the value in which every sensitive text that an assertion found is replaced by `[masked]`, so that
 * personal data does not travel into reports.
 */
export function maskSensitive<T extends Assessed & { tries?: { rejected: readonly Assessed[] } }>(trial: T): T {
  const rejected = trial.tries?.rejected ?? none;
  if (!trial.assertions.some(mayBeSensitive) && rejected.length === 0) return trial;
  const texts = new Set<string>();
  const gather = (result: AssertionResult): void => {
    for (const text of result.sensitive ?? []) if (text !== "") texts.add(text);
    result.parts?.forEach(gather);
  };
  trial.assertions.forEach(gather);
  for (const { assertions } of rejected) assertions.forEach(gather);
  if (texts.size === 0) return trial;
  // Longer strings first, so that one that contains another is masked as a whole.
  const longestFirst = [...texts].toSorted((a, b) => b.length - a.length);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- masking changes strings but not the shape
  return mask(trial, longestFirst) as T;
}

const none: readonly Assessed[] = [];

/** Members of a group are looked at one by one. */
function mayBeSensitive({ sensitive, parts }: AssertionResult): boolean {
  return sensitive !== undefined || parts !== undefined;
}

function mask(value: unknown, texts: readonly string[]): unknown {
  if (typeof value === "string") return texts.reduce((text, secret) => text.replaceAll(secret, maskedText), value);
  if (Array.isArray(value)) return value.map((item) => mask(item, texts));
  if (value instanceof Error || !isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (key === "sensitive" ? [] : [[key, mask(item, texts)]])),
  );
}

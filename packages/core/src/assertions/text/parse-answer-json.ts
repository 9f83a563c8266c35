import { failure, success, type Result } from "../../result.js";
import { isRecord } from "../../values/json.js";
import { isJsonLimit, parseJson } from "../../values/parse-json.js";
import { preview } from "../../values/preview.js";

/**
 * Reads an answer as JSON. Unless `strict`, one code fence around all of it is taken off. Fails with a clause that
 * completes "Expected the answer to be JSON, but …".
 */
export function parseAnswerJson(output: string, strict: boolean): Result<unknown, string> {
  const trimmed = output.trim();
  const inside = insideFence(trimmed);
  if (strict && inside !== undefined) return failure("it is in a code fence, which `strict` forbids");
  const parsed = parseJson(inside ?? trimmed);
  return parsed.success ? parsed : failure(reasonOf(trimmed, parsed.error));
}

const opening = /^(?:`{3,}|~{3,})(?=[^\n`]*\n)/;

/**
 * What a whole answer that is one fenced block, with or without a language, has inside; undefined if it is none. Takes
 * linear time, which a pattern for all of it would not.
 */
function insideFence(text: string): string | undefined {
  const fence = opening.exec(text)?.[0] ?? "";
  const start = text.indexOf("\n") + 1;
  if (fence === "" || start === 0) return undefined;
  const mark = fence.charAt(0);
  let end = text.length;
  // A fence of tildes may be closed by a shorter one, since the rest of it passes for the language.
  const fewest = mark === "~" ? 3 : fence.length;
  while (end > start && text.length - end < fence.length && text.charAt(end - 1) === mark) end -= 1;
  if (text.length - end < fewest) return undefined;
  while (end > start && (text.charAt(end - 1) === " " || text.charAt(end - 1) === "\t")) end -= 1;
  return text.slice(start, end > start && text.charAt(end - 1) === "\n" ? end - 1 : end);
}

function reasonOf(text: string, reason: string): string {
  if (isJsonLimit(reason)) return `it is ${reason}`;
  if (text === "") return "it is empty";
  const start = text.search(/[[{]/);
  const end = Math.max(text.lastIndexOf("}"), text.lastIndexOf("]"));
  if (start >= 0 && end > start && (start > 0 || end < text.length - 1)) {
    const piece = parseJson(text.slice(start, end + 1));
    if (piece.success) return `there is text around it: ${preview(text)}`;
  }
  // The engine quotes the text in its own way, which would repeat ours.
  return `it does not parse (${reason.replace(/, "?\.{0,3}[\s\S]*(?=is not valid JSON)/, " ")}): ${preview(text)}`;
}

/** The value at a path of keys and indices; undefined when it does not exist. */
export function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  let current = value;
  for (const step of path) {
    if (Array.isArray(current)) current = typeof step === "number" ? current[step] : undefined;
    else if (isRecord(current) && Object.hasOwn(current, step)) current = current[step];
    else return undefined;
  }
  return current;
}

const stepPattern = /\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|(?:^|\.)([^.[\]]+)/y;

/** Reads `items[2].price`, `items.2.price` or `["odd key"].x`, with or without a leading `$.`. */
export function parseJsonPath(text: string): Result<readonly (string | number)[], string> {
  const body = text.replace(/^\$\.?/, "");
  const steps: (string | number)[] = [];
  let at = 0;
  while (at < body.length) {
    stepPattern.lastIndex = at;
    const match = stepPattern.exec(body);
    if (match === null) return failure(`"${text}" is not a path\nWrite keys and indices such as items[2].price`);
    const [whole, index, quoted, key] = match;
    if (index !== undefined) steps.push(Number(index));
    else if (quoted !== undefined) steps.push(unquote(quoted));
    else if (key !== undefined) steps.push(key);
    at += whole.length;
  }
  return success(steps);
}

function unquote(text: string): string {
  return text.replaceAll(/\\(.)/g, "$1");
}

import type * as z from "zod";
import { isRecord } from "../values/json.js";
import { failure, success, type Result } from "../result.js";
import type { SchemaProblem } from "../errors/schema-problem.js";
import { didYouMean } from "../values/nearest-name.js";
import { quicken } from "../values/deferred-zod.js";
import { preview } from "../values/preview.js";

const missing = " is missing; expected ";

const nouns: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "an object",
  record: "an object",
  null: "null",
  undefined: "missing",
};

/**
 * The value as the schema reads it, or what is wrong with it. What is wrong is asked for in a second pass: a pass that
 * keeps the inputs for messages takes several times as long, and most values are valid.
 */
export function parseWith<T>(schema: z.ZodType<T>, value: unknown): Result<T, readonly SchemaProblem[]> {
  const parsed = isWorthCompiling(schema, value) ? schema.safeParse(value) : schema.safeParse(value, { jitless: true });
  if (parsed.success) return success(parsed.data);
  const explained = schema.safeParse(value, { reportInput: true });
  return failure(problemsOf(explained.error ?? parsed.error));
}

const usesBySchema = new WeakMap<z.ZodType, number>();
const manyUses = 20;
/** The assertions of very many tests or rows. */
const veryManyUses = 200;
const manyNodes = 1_000;

/** zod writes code for a schema that it reads with, which takes longer than to read a few small values without it. */
function isWorthCompiling(schema: z.ZodType, value: unknown): boolean {
  const uses = usesBySchema.get(schema) ?? 0;
  if (uses > veryManyUses) return true;
  usesBySchema.set(schema, uses + 1);
  if (uses === veryManyUses) quicken(schema);
  if (uses >= manyUses) return true;
  return countNodes(value, manyNodes) >= manyNodes;
}

/** Stops at `most`. */
function countNodes(value: unknown, most: number): number {
  if (!Array.isArray(value) && !isRecord(value)) return 1;
  const parts: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  let count = 1;
  for (const part of parts) {
    if (count >= most) break;
    count += countNodes(part, most - count);
  }
  return count;
}

type Issue = z.core.$ZodIssue;

/**
 * What a failed parse found, in KindLM's words. A custom issue may carry a hint behind a line feed, and
 * `params: { atKey: true }` to mark the key.
 */
export function problemsOf(error: z.ZodError): SchemaProblem[] {
  return withoutMissed(error.issues.flatMap((issue) => problemsOfIssue(issue, [])));
}

const unknown = "Unknown key ";

/** A misspelled key is one mistake: the key that was meant is not missed in addition. */
export function withoutMissed<T extends SchemaProblem>(problems: readonly T[]): T[] {
  const misspelled = problems.flatMap(({ path, message, hint }) => {
    const meant = message.startsWith(unknown) ? /^Did you mean "(.*)"\?/.exec(hint ?? "")?.[1] : undefined;
    return meant === undefined ? [] : [{ meant, path: path.slice(0, -1) }];
  });
  return problems.filter(
    (problem) => problem.message.startsWith(unknown) || !misspelled.some((one) => isMissedBy(problem, one)),
  );
}

function isMissedBy(
  { path, message }: SchemaProblem,
  { meant, path: place }: { meant: string; path: SchemaProblem["path"] },
): boolean {
  const isThere = [place, [...place, meant]].some((one) => one.join("\0") === path.join("\0"));
  return isThere && (message.includes(`"${meant}"`) || message.includes(`\`${meant}\``));
}

function problemsOfIssue(issue: Issue, prefix: readonly (string | number)[]): SchemaProblem[] {
  const path = [...prefix, ...issue.path.map((step) => (typeof step === "symbol" ? String(step) : step))];
  // A message of two lines is a schema's own, words and hint; zod's have one.
  if (issue.code !== "unrecognized_keys" && issue.code !== "invalid_union" && issue.message.includes("\n")) {
    return [{ path, ...splitHint(issue.message), ...markOf(issue) }];
  }
  switch (issue.code) {
    case "unrecognized_keys": {
      const messages = issue.message.split("\u0000");
      return issue.keys.map((key, index) => ({
        ...splitHint(messages[index] ?? `${unknown}"${key}"`),
        path: [...path, key],
        atKey: true,
      }));
    }
    case "invalid_type":
      if (issue.expected === "int") return [{ path, message: `${nameOf(path)} must be a whole number` }];
      if (issue.input === undefined && issue.message.endsWith("received undefined")) {
        return [{ path, message: `${nameOf(path)} is missing; expected ${nounOf(issue.expected)}` }];
      }
      return [
        {
          path,
          message: `${nameOf(path)} must be ${nounOf(issue.expected)}${receivedOf(issue.message)}`,
          // Such as the ID of a commit that happens to have digits only.
          ...(issue.expected === "string" && / received (number|boolean)$/.test(issue.message)
            ? { hint: "Put it in quotes" }
            : {}),
        },
      ];
    case "invalid_value": {
      const hint = hintForValue(issue);
      const message = `${nameOf(path)} must be ${listOf(issue.values.map((value) => preview(value)))}`;
      return [hint === undefined ? { path, message } : { path, message, hint }];
    }
    case "invalid_union":
      return problemsOfUnion(issue, path);
    case "invalid_key":
      return issue.issues.map((inner) => ({ path, ...splitHint(inner.message), atKey: true }));
    default:
      return [{ path, ...describeOther(issue, path), ...markOf(issue) }];
  }
}

/** The branch that came furthest is the one that was meant. */
function problemsOfUnion(
  issue: Extract<Issue, { code: "invalid_union" }>,
  path: readonly (string | number)[],
): SchemaProblem[] {
  if (issue.inclusive !== false && issue.discriminator !== undefined && issue.options !== undefined) {
    const options = issue.options.map((option) => preview(option));
    const written = isRecord(issue.input) ? issue.input[issue.discriminator] : undefined;
    if (written === undefined) return [{ path, message: `${nameOf(path)} is missing; expected ${listOf(options)}` }];
    const names = issue.options.filter((option) => typeof option === "string");
    const hint = typeof written === "string" ? didYouMean(written, names) : undefined;
    const message = `${nameOf(path)} must be ${listOf(options)}`;
    return [hint === undefined ? { path, message } : { path, message, hint }];
  }
  const branches = issue.errors.map((issues) => issues.flatMap((inner) => problemsOfIssue(inner, path)));
  const shallow = branches.every((branch) => branch.every((problem) => problem.path.length === path.length));
  if (branches.length === 0 || (shallow && branches.length > 1)) {
    const alternatives = branches.flatMap((branch) =>
      branch.flatMap((problem) => expectationOf(problem.message).split(/, | or /)),
    );
    const wanted = [...new Set(alternatives)];
    const isMissing = issue.input === undefined && branches.flat().every(({ message }) => message.includes(missing));
    const verb = isMissing && wanted.length > 0 ? "is missing; expected" : "must be";
    const message = `${nameOf(path)} ${verb} ${wanted.length > 0 ? listOf(wanted) : "one of its valid forms"}`;
    const hint = branches.flat().find((problem) => problem.hint !== undefined)?.hint;
    return [hint === undefined ? { path, message } : { path, message, hint }];
  }
  const depth = (branch: SchemaProblem[]): number => Math.max(...branch.map((problem) => problem.path.length));
  const [furthest] = [...branches].toSorted((a, b) => depth(b) - depth(a) || a.length - b.length);
  return furthest ?? [];
}

function describeOther(issue: Issue, path: readonly (string | number)[]): { message: string; hint?: string } {
  switch (issue.code) {
    case "too_small":
      return { message: `${nameOf(path)} must ${boundOf("at least", issue.origin, issue.minimum, issue.inclusive)}` };
    case "too_big":
      return { message: `${nameOf(path)} must ${boundOf("at most", issue.origin, issue.maximum, issue.inclusive)}` };
    case "custom":
      return splitHint(issue.message);
    default:
      return { message: `${nameOf(path)} is not valid: ${issue.message}` };
  }
}

function boundOf(word: string, origin: string, bound: number | bigint, inclusive: boolean | undefined): string {
  if (origin === "string") return `have ${word} ${bound} character${Number(bound) === 1 ? "" : "s"}`;
  if (origin === "array" || origin === "set") return `have ${word} ${bound} entr${Number(bound) === 1 ? "y" : "ies"}`;
  if (inclusive === false) return word === "at least" ? `be more than ${bound}` : `be less than ${bound}`;
  return `be ${word} ${bound}`;
}

function markOf(issue: Issue): { atKey?: true } {
  return issue.code === "custom" && issue.params?.["atKey"] === true ? { atKey: true } : {};
}

function splitHint(message: string): { message: string; hint?: string } {
  const [first = "", ...rest] = message.split("\n");
  return rest.length > 0 ? { message: first, hint: rest.join(" ") } : { message: first };
}

function hintForValue(issue: Extract<Issue, { code: "invalid_value" }>): string | undefined {
  const names = issue.values.filter((value) => typeof value === "string");
  return typeof issue.input === "string" ? didYouMean(issue.input, names) : undefined;
}

function nameOf(path: readonly (string | number)[]): string {
  const last = path.at(-1);
  if (last === undefined) return "The value";
  return typeof last === "string" ? `"${last}"` : `Entry ${last + 1}`;
}

function expectationOf(message: string): string {
  return message.replace(/^.*?(?: must be | is missing; expected )/, "").replace(/, but it is .*$/, "");
}

function receivedOf(message: string): string {
  const received = /received (\w+)$/.exec(message)?.[1];
  return received === undefined ? "" : `, but it is ${nounOf(received)}`;
}

function nounOf(type: string): string {
  return nouns[type] ?? type;
}

function listOf(items: readonly string[]): string {
  return items.length > 1 ? `${items.slice(0, -1).join(", ")} or ${items.at(-1)}` : (items[0] ?? "");
}

import { failure, success, type Result } from "../result.js";
import { isPlainObject, isRecord } from "../values/json.js";
import { useInstead } from "../values/foreign-words.js";
import { didYouMean } from "../values/nearest-name.js";
import { everyNode, neverNode, scalarNode, type MatcherNode, type MismatchReport } from "./matcher-node.js";
import type { Matcher, MatcherProblem, MatchResult, Mismatch } from "./matcher.js";
import type { MatcherOperator, OperandParser } from "./operator.js";
import { modifierOwners, operators } from "./registry.js";
import { listNode, objectNode } from "./plain-nodes.js";
import { isSmall, withinTime } from "./within-time.js";
import { renderPath } from "../values/preview.js";
import { attemptSync } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";

const most = 20;

type Path = readonly (string | number)[];
/** How objects are read: with operators and open, with operators and closed, or as data. */
type Mode = "open" | "closed" | "literal";

const deepest = 200;
const passed: MatchResult = Object.freeze({ pass: true });

/**
 * Compiles a matcher: plain JSON data, in which an object with `$` keys is a set of operators. `undefined` matches
 * absence. The failure holds every problem, with its path into `raw`. Never throws.
 */
export function parseMatcher(raw: unknown): Result<Matcher, readonly MatcherProblem[]> {
  const problems: MatcherProblem[] = [];
  const node = parseNode(raw, "open", [], problems);
  return problems.length > 0 ? failure(problems) : success(createMatcher(raw, node));
}

function createMatcher(source: unknown, node: MatcherNode): Matcher {
  return {
    source,
    match: (value) =>
      withinTime(
        () => isSmall(value),
        () => matchNode(node, value),
      ),
    describe: (max = 120) => {
      const text = node.describe(max);
      return text.length > max ? `${text.slice(0, max - 1)}…` : text;
    },
  };
}

function matchNode(node: MatcherNode, value: unknown): MatchResult {
  if (node.accepts(value)) return passed;
  const report = createMismatchReport();
  node.explain(value, report);
  const [first, ...rest] = report.mismatches;
  // A node that rejects always explains; should one not, the rejection must still not be lost.
  if (first === undefined) return rejection(node, value);
  return { pass: false, mismatches: [first, ...rest] };
}

function rejection(node: MatcherNode, actual: unknown): MatchResult {
  return { pass: false, mismatches: [{ path: "", expected: node.describe(120), actual }] };
}

function parseNode(raw: unknown, mode: Mode, path: Path, problems: MatcherProblem[]): MatcherNode {
  if (path.length > deepest)
    return note(problems, { path, message: `A matcher may be ${deepest} levels deep at most` });
  if (Array.isArray(raw)) {
    return listNode(
      raw,
      raw.map((item: unknown, index) => parseNode(item, mode, [...path, index], problems)),
    );
  }
  if (!isRecord(raw)) return parseScalar(raw, path, problems);
  if (!isPlainObject(raw)) return note(problems, { path, message: "A matcher is made of JSON data; this is not" });
  const names = Object.keys(raw);
  if (mode !== "literal" && names.some(isOperator)) {
    return parseOperators(raw, names, mode, path, problems);
  }
  const members = names.map((name): [string, MatcherNode] => [
    mode === "literal" ? name : unescapeKey(name),
    parseNode(raw[name], mode, [...path, name], problems),
  ]);
  const isEscaped = mode !== "literal" && names.some((name) => name.startsWith("$"));
  const source = isEscaped ? Object.fromEntries(members.map(([key], index) => [key, raw[names[index] ?? ""]])) : raw;
  return objectNode(source, members, mode !== "open");
}

/** `$$filter` is the key `$filter`. */
function isOperator(name: string): boolean {
  return name.startsWith("$") && !name.startsWith("$$");
}

function unescapeKey(name: string): string {
  return name.startsWith("$$") ? name.slice(1) : name;
}

function parseScalar(raw: unknown, path: Path, problems: MatcherProblem[]): MatcherNode {
  const isData = raw === null || raw === undefined || ["string", "number", "boolean"].includes(typeof raw);
  return isData
    ? scalarNode(raw)
    : note(problems, { path, message: `A matcher is made of JSON data; a ${typeof raw} is not` });
}

function parseOperators(
  raw: Readonly<Record<string, unknown>>,
  names: readonly string[],
  mode: Mode,
  path: Path,
  problems: MatcherProblem[],
): MatcherNode {
  const plain = names.find((name) => !isOperator(name));
  if (plain !== undefined) {
    const operator = names.find(isOperator) ?? "";
    const message = `Operators and plain keys cannot be mixed: "${plain}" is next to ${operator}`;
    const hint = `Write $${operator} for a key named ${operator}`;
    return note(problems, { path: [...path, plain], message, hint, atKey: true });
  }
  const unknown = names.filter((name) => !Object.hasOwn(operators, name) && !modifierOwners.has(name));
  problems.push(...unknown.map((name) => unknownOperator(name, path)));
  const nodes = names.flatMap((name) => {
    const operator = Object.hasOwn(operators, name) ? operators[name] : undefined;
    if (operator !== undefined) return [parseOperator(name, operator, raw, mode, path, problems)];
    const owner = modifierOwners.get(name);
    // An unknown operator may be the misspelt owner; then there is one mistake, not two.
    if (owner !== undefined && !Object.hasOwn(raw, owner) && unknown.length === 0) {
      note(problems, { path: [...path, name], message: `${name} needs ${owner} next to it`, atKey: true });
    }
    return [];
  });
  return everyNode(raw, nodes);
}

function parseOperator(
  name: string,
  operator: MatcherOperator,
  raw: Readonly<Record<string, unknown>>,
  mode: Mode,
  path: Path,
  problems: MatcherProblem[],
): MatcherNode {
  const here = [...path, name];
  const below = (value: unknown, how: Mode, steps: Path = []): MatcherNode =>
    parseNode(value, how, [...here, ...steps], problems);
  const parser: OperandParser = {
    matcher: (value, ...steps) => below(value, mode, steps),
    closed: (value) => below(value, "closed"),
    literal: (value) => below(value, "literal"),
    modifier: (modifier) => (Object.hasOwn(raw, modifier) ? raw[modifier] : undefined),
    matchers: (value) => {
      if (!Array.isArray(value)) return [parser.problem(`${name} takes a list`)];
      if (value.length === 0) return [parser.problem(`${name} takes at least one entry`)];
      return value.map((item: unknown, index) => below(item, mode, [index]));
    },
    problem: (message, { modifier, hint } = {}) => {
      const at = modifier === undefined ? here : [...path, modifier];
      return note(problems, hint === undefined ? { path: at, message } : { path: at, message, hint });
    },
  };
  return operator.compile(raw[name], parser);
}

function unknownOperator(name: string, path: Path): MatcherProblem {
  const known = [...Object.keys(operators), ...modifierOwners.keys()];
  const hint =
    useInstead("operator", name) ??
    didYouMean(name, known) ??
    `For a key of this name, write $${name}. Operators: ${known.join(", ")}`;
  return { path: [...path, name], message: `Unknown operator "${name}"`, hint, atKey: true };
}

function note(problems: MatcherProblem[], problem: MatcherProblem): MatcherNode {
  problems.push(problem);
  return neverNode;
}

function createMismatchReport(): MismatchReport {
  const mismatches: Mismatch[] = [];
  const path: (string | number)[] = [];
  const isFull = (): boolean => mismatches.length >= most;
  const report: MismatchReport = {
    mismatches,
    isFull,
    add(expected, actual) {
      if (!isFull()) mismatches.push({ path: renderPath(path), expected, actual });
    },
    addBelow(below, expected, actual) {
      const here = renderPath(path);
      const separator = here === "" || below === "" || below.startsWith("[") ? "" : ".";
      if (!isFull()) mismatches.push({ path: `${here}${separator}${below}`, expected, actual });
    },
    addAt(step, expected, actual) {
      path.push(step);
      report.add(expected, actual);
      path.pop();
    },
    explainAt(step, node, value) {
      path.push(step);
      node.explain(value, report);
      path.pop();
    },
  };
  return report;
}

/**
 * Matches a value against a matcher: plain data, or an object with `$` operators; see the assertions guide.
 *
 * Objects may have further keys unless `$exact`; lists match element by element; `undefined` is absence, which null is
 * not. A failed match holds the first 20 differences with their paths into the value. Never throws: a matcher that is
 * not valid, and a regular expression that runs out of time, are mismatches that say so.
 */
export function matchValue(matcher: unknown, value: unknown): MatchResult {
  const parsed = parseMatcher(matcher);
  if (parsed.success) {
    const matched = attemptSync(
      () => parsed.data.match(value),
      (cause) => refused(messageOf(cause), value),
    );
    return matched.success ? matched.data : matched.error;
  }
  const [first] = parsed.error;
  const place = renderPath(first?.path ?? []);
  return refused(`a valid matcher: ${first?.message ?? "invalid"}${place === "" ? "" : ` at ${place}`}`, value);
}

function refused(expected: string, actual: unknown): MatchResult {
  const mismatch: Mismatch = { path: "", expected, actual };
  return { pass: false, mismatches: [mismatch] };
}

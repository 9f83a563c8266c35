import { failure, success, type Result } from "../result.js";
import { isRecord } from "./json.js";

/** What the placeholders of a template may name. */
export interface TemplateScope {
  readonly values: Readonly<Record<string, unknown>>;
}

/** A placeholder that names nothing. */
export interface TemplateProblem {
  /** Into the value that was rendered. */
  path: readonly (string | number)[];
  name: string;
  /** The names that exist at the place where the look-up failed. */
  known: readonly string[];
}

/** `\{{` is literal; group 1 holds the name of a placeholder. */
const placeholderPattern = /\\\{\{|\{\{([^{}]*)\}\}/g;

/** A string cut at its placeholders: literal text, or what stands between the braces. */
type TemplatePart = string | { readonly name: string };

/** A run fills in the same few strings for very many rows. */
const partsByText = new Map<string, readonly TemplatePart[]>();
const mostRemembered = 1_000;

function partsOf(text: string): readonly TemplatePart[] {
  const known = partsByText.get(text);
  if (known !== undefined) return known;
  const parts: TemplatePart[] = [];
  let literal = "";
  let end = 0;
  for (const match of text.matchAll(placeholderPattern)) {
    literal += text.slice(end, match.index);
    end = match.index + match[0].length;
    if (match[1] === undefined) literal += "{{";
    else {
      if (literal !== "") parts.push(literal);
      literal = "";
      parts.push({ name: match[1].trim() });
    }
  }
  literal += text.slice(end);
  if (literal !== "") parts.push(literal);
  if (partsByText.size >= mostRemembered) partsByText.clear();
  partsByText.set(text, parts);
  return parts;
}

/** The names of all placeholders in the strings of a value, with where they stand. */
export function placeholdersIn(value: unknown): readonly { name: string; path: readonly (string | number)[] }[] {
  const found: { name: string; path: (string | number)[] }[] = [];
  const visit = (node: unknown, path: (string | number)[]): void => {
    if (typeof node === "string") {
      if (!node.includes("{{")) return;
      for (const match of node.matchAll(placeholderPattern)) {
        if (match[1] !== undefined) found.push({ name: match[1].trim(), path });
      }
    } else if (Array.isArray(node)) {
      node.forEach((item, index) => visit(item, [...path, index]));
    } else if (isRecord(node)) {
      for (const [key, item] of Object.entries(node)) visit(item, [...path, key]);
    }
  };
  visit(value, []);
  return found;
}

/** True when rendering would change the value: it holds a placeholder or an escaped `\{{`. */
export function isTemplate(value: unknown): boolean {
  if (typeof value === "string") return value.includes("{{");
  if (Array.isArray(value)) return value.some(isTemplate);
  if (!isRecord(value)) return false;
  for (const key of Object.keys(value)) if (isTemplate(value[key])) return true;
  return false;
}

/**
 * Fills the placeholders in every string of a value; keys stay as they are.
 * A string that is exactly one placeholder becomes the named value with its type. Values are never expanded again.
 */
export function renderTemplate<T>(template: T, scope: TemplateScope): Result<T, readonly TemplateProblem[]> {
  const problems: TemplateProblem[] = [];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the shape is the template's; only strings change
  const rendered = renderNode(template, scope, [], problems) as T;
  return problems.length > 0 ? failure(problems) : success(rendered);
}

function renderNode(
  node: unknown,
  scope: TemplateScope,
  path: readonly (string | number)[],
  problems: TemplateProblem[],
): unknown {
  if (typeof node === "string") return renderString(node, scope, path, problems);
  // What holds no placeholder is handed on as it is; most of a template does not.
  if (!isTemplate(node)) return node;
  if (Array.isArray(node)) return node.map((item, index) => renderNode(item, scope, [...path, index], problems));
  if (!isRecord(node)) return node;
  const rendered: Record<string, unknown> = {};
  for (const key of Object.keys(node)) {
    const value = renderNode(node[key], scope, [...path, key], problems);
    // Assigning to __proto__ would set the prototype instead of a key.
    if (key === "__proto__") Object.defineProperty(rendered, key, { value, enumerable: true, writable: true });
    else rendered[key] = value;
  }
  return rendered;
}

function renderString(
  text: string,
  scope: TemplateScope,
  path: readonly (string | number)[],
  problems: TemplateProblem[],
): unknown {
  if (!text.includes("{{")) return text;
  const resolve = (name: string): unknown => {
    const found = lookUp(name, scope);
    if (found.success) return found.data;
    problems.push({ path, name, known: found.error });
    return "";
  };
  const parts = partsOf(text);
  const [first] = parts;
  if (parts.length === 1 && typeof first === "object") return resolve(first.name);
  let rendered = "";
  for (const part of parts) rendered += typeof part === "string" ? part : asText(resolve(part.name));
  return rendered;
}

/** Finds `a.b.0` in the scope. A name that exists as it stands wins over a path. Fails with the names that exist. */
export function lookUp(name: string, scope: TemplateScope): Result<unknown, readonly string[]> {
  if (Object.hasOwn(scope.values, name)) return success(scope.values[name]);
  let current: unknown = scope.values;
  for (const step of name.split(".")) {
    if (Array.isArray(current) && /^\d+$/.test(step) && Number(step) < current.length) {
      current = current[Number(step)];
    } else if (isRecord(current) && Object.hasOwn(current, step)) {
      current = current[step];
    } else {
      return failure(isRecord(current) ? Object.keys(current) : []);
    }
  }
  return success(current);
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

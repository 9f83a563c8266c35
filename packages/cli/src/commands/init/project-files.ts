import { join, relative } from "node:path";
import { attemptSync, isRecord, mebibyte, messageOf, readText } from "@kindlm/core/program";
import { kindlmError } from "@kindlm/core";
import { quoteArgument } from "../../arguments/quote-argument.js";
import { listPackageFiles, readPackageFile } from "../../package-files.js";
import { createFiles } from "../../sinks/create-files.js";
import type { Example } from "./examples.js";
import type { CliEnvironment } from "../../environment.js";

/** Adds the lines that a file lacks, at its end. Gives what was done; null if there was nothing to do. */
export async function addLines(
  file: string,
  lines: readonly string[],
  environment: CliEnvironment,
): Promise<string | null> {
  const shown = relative(environment.cwd, file);
  const before = await readIfThere(file);
  const toAdd = `add to ${shown}: ${lines.join(", ")}\n`;
  if (before === null) return toAdd;
  const present = new Set(before.split(/\r?\n/).map((line) => line.trim()));
  const missing = lines.filter((line) => !present.has(line));
  if (missing.length === 0) return null;
  const end = before.includes("\r\n") ? "\r\n" : "\n";
  const gap = before === "" || before.endsWith("\n") ? "" : end;
  const added = await replace(file, `${before}${gap}${missing.join(end)}${end}`, environment);
  return added ? `added ${missing.join(" and ")} to ${shown}\n` : toAdd;
}

/** The script of a package, as `npm run <name>` calls it. */
interface NpmScript {
  name: string;
  command: string;
}

/**
 * Adds a script to the package.json of a folder, and leaves every other character of it alone. Gives what was done; null
 * if there is no such file, or it has the script.
 */
export async function addScript(
  folder: string,
  script: NpmScript,
  environment: CliEnvironment,
): Promise<string | null> {
  const file = join(folder, "package.json");
  const before = await readIfThere(file);
  const known = before === null ? null : scriptsIn(before);
  if (before === "" || (known !== null && Object.hasOwn(known, script.name))) return null;
  const after = before === null ? null : insertScript(before, script);
  const isAdded = after !== null && (await replace(file, after, environment));
  return isAdded
    ? `added the script ${script.name} to package.json\n`
    : `add to the scripts of package.json: "${script.name}": "${script.command}"\n`;
}

/**
 * The text of a package.json with one more script, at the end of its scripts; null where that cannot be done without
 * changing anything else, because its text is not what npm would write.
 */
export function insertScript(text: string, { name, command }: NpmScript): string | null {
  const scripts = scriptsIn(text);
  if (scripts === null) return null;
  const entry = `${JSON.stringify(name)}: ${JSON.stringify(command)}`;
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const indent = /\n([ \t]+)"/.exec(text)?.[1] ?? "  ";
  const candidates = [...text.matchAll(/"scripts"\s*:\s*\{/g)].flatMap((found) => {
    const start = found.index + found[0].length;
    const closing = closingBrace(text, start);
    if (closing === null) return [];
    const body = text.slice(start, closing).trimEnd();
    const isOnOneLine = !text.slice(start, closing).includes("\n") && body !== "";
    const gap = isOnOneLine ? " " : `${newline}${indent}${indent}`;
    const end = isOnOneLine ? text.slice(start + body.length, closing) : `${newline}${indent}`;
    return [`${text.slice(0, start)}${body}${body === "" ? "" : ","}${gap}${entry}${end}${text.slice(closing)}`];
  });
  const open = text.indexOf("{") + 1;
  const rest = text.slice(open);
  const comma = /^\s*\}/.test(rest) ? newline : ",";
  const whole = `${text.slice(0, open)}${newline}${indent}"scripts": {${newline}${indent}${indent}${entry}${newline}${indent}}${comma}${rest}`;
  const wanted = JSON.stringify({ ...scripts, [name]: command });
  return [...candidates, whole].find((one) => JSON.stringify(scriptsIn(one)) === wanted) ?? null;
}

/** Where the object ends whose text begins at `start`. */
function closingBrace(text: string, start: number): number | null {
  let depth = 1;
  for (const { 0: token, index } of text.slice(start).matchAll(/"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (token === "{") depth += 1;
    if (token === "}") depth -= 1;
    if (depth === 0) return start + index;
  }
  return null;
}

/** The scripts of a package.json, which may have none; null if it is not one. */
function scriptsIn(text: string): Record<string, unknown> | null {
  const parsed = attemptSync<unknown>(
    () => JSON.parse(text),
    (cause) => kindlmError("UNKNOWN_ERROR", messageOf(cause)),
  );
  if (!parsed.success || !isRecord(parsed.data)) return null;
  const { scripts = {} } = parsed.data;
  return isRecord(scripts) ? scripts : null;
}

/** Empty if there is no such file; null if it cannot be read. */
async function readIfThere(file: string): Promise<string | null> {
  const isMissing = (cause: unknown): boolean => cause instanceof Error && "code" in cause && cause.code === "ENOENT";
  return readText(file, mebibyte).catch((cause: unknown) => (isMissing(cause) ? "" : null));
}

/** Writes a file of the user's again, unless a secret in it would be masked. */
async function replace(file: string, text: string, { files, redactor }: CliEnvironment): Promise<boolean> {
  if (redactor.redact(text) !== text) return false;
  const pieces = (async function* () {
    yield text;
  })();
  return (await files.write(file, file, pieces, "text")).success;
}

/** What to do if a file exists. */
export const fix = "Choose another folder with --dir";

const docs = "https://kindlm.com/docs/";

/** Copies an example into a folder, and gives a line for each file. Throws a UsageError if one of them exists. */
export async function copyExample({ name }: Example, dir: string, environment: CliEnvironment): Promise<string> {
  const folder = `dist/examples/${name}`;
  const paths = await listPackageFiles(folder);
  const texts = await Promise.all(
    paths.map(async (path) => [path, await readPackageFile(`${folder}/${path}`)] as const),
  );
  const files = texts.map(([path, text]) => [path, path.endsWith(".md") ? withWebLinks(text) : text] as const);
  const written = await createFiles(dir, Object.fromEntries(files), fix, environment);
  const readme = join(dir, "README.md");
  const { asTyped } = environment;
  return `${written}\nRun the tests, as ${readme} explains:\n  cd ${quoteArgument(dir)}\n  ${asTyped("kindlm test")}\n`;
}

/** The pages are in the repository, where a copy has no path to. */
function withWebLinks(markdown: string): string {
  return markdown.replaceAll(/\]\(\.\.\/\.\.\/docs\/([\w/-]+)\.md/g, (_, page: string) => `](${docs}${page}`);
}

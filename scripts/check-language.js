import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";
import { proseOfMarkdown, proseOfTypeScript } from "./language/prose.js";

/**
 * Fails on the phrases of scripts/language/phrases.txt in comments and strings of source and in Markdown. A line with
 * `language-ignore: reason`, or the line below it, is exempt; so is a file with `language-ignore-file: reason`.
 */

const rules = readFileSync(new URL("language/phrases.txt", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => line.split(" => "))
  .map(([source, instead, example]) => ({ pattern: new RegExp(source, "giu"), instead, example }));

const tracked = execFileSync("git", ["ls-files", "packages/*/src/*.ts", "*.md", "*.example"]).toString().split("\n");
const files = tracked.filter((file) => file !== "" && !/\.test\.ts$|__fixtures__|\/generated\/|CHANGELOG/.test(file));

function findPhrases(file) {
  const text = readFileSync(file, "utf8");
  if (/language-ignore-file: \w/.test(text)) return [];
  const prose = file.endsWith(".ts") ? proseOfTypeScript(text) : proseOfMarkdown(text);
  const lines = text.split("\n");
  const isExempt = (line) => lines.slice(Math.max(0, line - 2), line).some((near) => /language-ignore: \w/.test(near));
  return rules.flatMap(({ pattern, instead }) =>
    [...prose.matchAll(pattern)]
      .map(({ index, 0: phrase }) => ({ line: text.slice(0, index).split("\n").length, phrase }))
      .filter(({ line }) => !isExempt(line))
      .map(({ line, phrase }) => `${file}:${line}: "${phrase.replaceAll(/\s+/g, " ")}": write ${instead}`),
  );
}

const found = files.flatMap(findPhrases);
const deaf = rules.filter(({ pattern, example }) => !example?.match(pattern));
for (const line of found) console.error(line);
for (const { pattern } of deaf) console.error(`phrases.txt: ${pattern.source} does not find its own example`);
console.log(`language: ${files.length} files, ${rules.length} rules, ${found.length} phrases`);
if (found.length > 0 || deaf.length > 0 || files.length === 0) process.exitCode = 1;

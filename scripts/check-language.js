import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { proseOfMarkdown, proseOfTypeScript } from "./language/prose.js";

/**
 * Fails on the phrases of scripts/language/phrases.txt in comments and strings of source and in Markdown. A line with
 * `language-ignore: reason`, or the line below it, is exempt; so is a file with `language-ignore-file: reason`. While
 * scripts/language/remaining.json allows an area some phrases, their number may only fall: `--all` shows each of them,
 * `--update` stores how many are left.
 */

const remainingFile = new URL("language/remaining.json", import.meta.url);
const remaining = JSON.parse(readFileSync(remainingFile, "utf8"));
const rules = readFileSync(new URL("language/phrases.txt", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => line.split(" => "))
  .map(([source, instead, example]) => ({ pattern: new RegExp(source, "giu"), instead, example }));

const tracked = execFileSync("git", ["ls-files", "packages/*/src/*.ts", "*.md", "*.example"]).toString().split("\n");
const files = tracked.filter((file) => file !== "" && !/\.test\.ts$|__fixtures__|\/generated\/|CHANGELOG/.test(file));

const areaOf = (file) => /^(?:packages\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? "root";

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

const areas = new Map();
for (const file of files) areas.set(areaOf(file), [...(areas.get(areaOf(file)) ?? []), ...findPhrases(file)]);

const isTooMany = ([area, phrases]) => phrases.length > (remaining[area] ?? 0);
const worse = [...areas].filter(isTooMany);
const deaf = rules.filter(({ pattern, example }) => !example?.match(pattern));
for (const [, phrases] of process.argv.includes("--all") ? areas : worse)
  for (const line of phrases) console.error(line);
for (const { pattern } of deaf) console.error(`phrases.txt: ${pattern.source} does not find its own example`);
if (process.argv.includes("--update")) {
  const counts = [...areas].map(([area, { length }]) => [area, length]).filter(([, count]) => count > 0);
  writeFileSync(remainingFile, `${JSON.stringify(Object.fromEntries(counts), null, 2)}\n`);
}
const count = [...areas.values()].flat().length;
console.log(`language: ${files.length} files, ${rules.length} rules, ${count} phrases`);
if (worse.length > 0 || deaf.length > 0 || files.length === 0) process.exitCode = 1;

import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import ts from "typescript";
import { findDeclarations, findKeys } from "./structure/find-declarations.js";
import { readImports, readSources, walk } from "./structure/read-sources.js";

/**
 * Measures the structure of the source. Figures that need not grow with features may only fall: each is compared with
 * its limit in structure/limits.json, and `--save` lowers the limits to what is reached. `--list FIGURE` prints what
 * counts into a figure.
 */

const limitsPath = "scripts/structure/limits.json";
const declaredNames = JSON.parse(readFileSync("scripts/structure/declared-names.json", "utf8"));
const isConst = (type) => type !== undefined && ts.isTypeReferenceNode(type) && type.typeName.getText() === "const";

function placeOf({ name, tree }, node) {
  return `${name}:${tree.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
}

function findFunctions(sources) {
  return sources.flatMap((source) => {
    const found = [];
    walk(source.tree, (node) => {
      if (!ts.isFunctionLike(node) || node.body === undefined) return;
      const { line: first } = source.tree.getLineAndCharacterOfPosition(node.getStart());
      const { line: last } = source.tree.getLineAndCharacterOfPosition(node.end);
      found.push({ place: placeOf(source, node), lines: last - first + 1 });
    });
    return found;
  });
}

function findCasts(sources) {
  return sources.flatMap((source) => {
    const found = [];
    walk(source.tree, (node) => {
      if (ts.isAsExpression(node) && !isConst(node.type)) found.push(placeOf(source, node));
    });
    return found;
  });
}

function findSuppressions(sources) {
  return sources.flatMap(({ name, text }) =>
    text.split("\n").flatMap((line, index) => {
      const isOne = /(?:oxlint|eslint)-disable|@ts-expect-error/.test(line);
      return isOne ? [`${name}:${index + 1}`] : [];
    }),
  );
}

/** How files are found that declare one of these; the words are in structure/declared-names.json. */
const finders = { flag: findKeys, setting: findKeys, gate: findDeclarations, "field of the result": findDeclarations };

function measure() {
  const sources = readSources();
  const imports = readImports(sources);
  const importers = new Map(sources.map(({ name }) => [name, []]));
  for (const [from, targets] of imports) for (const name of targets) importers.get(name).push(from);
  const functions = findFunctions(sources);
  const longer = (limit) =>
    functions.filter(({ lines }) => lines > limit).map(({ place, lines }) => `${place} (${lines})`);
  const casts = findCasts(sources);
  // A member of a family is a file of its own by design, and its registry imports it.
  const isMember = ([importer]) => importer.endsWith("/registry.ts");
  // A component of the page is one place in the tree that is drawn, so another component has it by design.
  const isComponent = (name) => name.endsWith(".tsx");
  const once = [...importers]
    .filter(([name, from]) => from.length === 1 && !isMember(from) && !isComponent(name))
    .map(([name]) => name);
  const lists = {
    "functions over 80 lines": longer(80),
    "functions over 60 lines": longer(60),
    casts,
    suppressions: findSuppressions(sources),
    "files with one importer": once,
  };
  const lines = sources.reduce((sum, source) => sum + source.lines, 0);
  const figures = Object.fromEntries(Object.entries(lists).map(([name, found]) => [name, found.length]));
  figures["share of files with one importer, %"] = share(once.length, sources.length);
  for (const [kind, words] of Object.entries(declaredNames)) {
    const found = words.flatMap((word) => finders[kind](sources, word));
    const name = `files that declare a ${kind}`;
    lists[name] = found;
    figures[name] = Math.round((found.length / words.length) * 10) / 10;
  }
  return { figures, lists, totals: { files: sources.length, lines } };
}

function share(part, whole) {
  return Math.round((part / whole) * 1_000) / 10;
}

const limits = JSON.parse(readFileSync(limitsPath, "utf8"));
const { figures, lists, totals } = measure();
const listed = process.argv.indexOf("--list");
if (listed !== -1) {
  console.log((lists[process.argv[listed + 1]] ?? Object.keys(lists)).join("\n"));
} else {
  console.log(`structure: ${totals.files} files, ${totals.lines} lines without tests and fixtures`);
  const rows = Object.entries(limits).map(([name, limit]) => ({ name, limit, figure: figures[name] }));
  for (const { name, limit, figure } of rows)
    console.log(`  ${name.padEnd(36)} ${String(figure).padStart(6)}  at most ${limit}`);
  const broken = rows.filter(({ limit, figure }) => !(figure <= limit));
  for (const { name, figure, limit } of broken) {
    console.error(
      `${name}: ${figure}, at most ${limit}. \`node scripts/measure-structure.js --list "${name}"\` lists them`,
    );
  }
  if (broken.length > 0) process.exitCode = 1;
  if (process.argv.includes("--save")) {
    const lowered = Object.fromEntries(rows.map(({ name, limit, figure }) => [name, Math.min(limit, figure)]));
    writeFileSync(limitsPath, `${JSON.stringify(lowered, null, 2)}\n`);
  }
}

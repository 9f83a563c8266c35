// Simulates agents whose pass rates are known, and counts what the comparison with a baseline says of them. Prints the
// tables of docs/statistics.md and docs/method.md; the same code prints the same tables. All of them take about three
// minutes; needs a build.
//   node bench/comparison-power.js              all tables
//   node bench/comparison-power.js alarms       some by name
//   node bench/comparison-power.js "20 × 1"     rows by their first column, of all tables or of those named
//   node bench/comparison-power.js --write      all tables, into the pages
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { placeOf, renderTable, tables } from "./statistics-tables.js";
import { root } from "./support.js";

const asked = process.argv.slice(2).filter((argument) => argument !== "--write");
const names = Object.keys(tables).filter((name) => asked.includes(name));
const rowNames = asked.filter((name) => !Object.hasOwn(tables, name));
const isWanted = (row) => rowNames.length === 0 || rowNames.includes(row);

const rendered = Object.entries(tables)
  .filter(([name]) => names.length === 0 || names.includes(name))
  .map(([name, table]) => [name, renderTable(table, isWanted)])
  .filter(([, lines]) => lines !== null);

if (process.argv.includes("--write")) {
  const paths = ["statistics.md", "method.md"].map((name) => join(root, "docs", name));
  const texts = new Map(paths.map((path) => [path, readFileSync(path, "utf8")]));
  for (const [name, lines] of rendered) {
    const place = placeOf(name);
    const path = paths.find((one) => place.test(texts.get(one)));
    if (path === undefined) throw new Error(`No page has a place for the table ${name}`);
    texts.set(
      path,
      texts.get(path).replace(place, (_, mark) => `${mark}${lines.join("\n")}\n`),
    );
  }
  for (const [path, text] of texts) writeFileSync(path, text);
} else {
  for (const [name, lines] of rendered) console.log(`${name}\n\n${lines.join("\n")}\n`);
}

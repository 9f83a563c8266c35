// Simulates agents whose pass rates are known, and counts what the comparison with a baseline says of them. Prints the
// tables of docs/statistics.md; equal versions print equal tables. Takes about two minutes; needs a build.
//   node bench/comparison-power.js              all tables
//   node bench/comparison-power.js alarms       some by name
//   node bench/comparison-power.js "20 × 1"     rows by their first column, of all tables or those named
import { tables as comparisonTables } from "./comparison-tables.js";
import { trialTables } from "./trial-tables.js";

const tables = { ...comparisonTables, ...trialTables };
const asked = process.argv.slice(2);
const names = Object.keys(tables).filter((name) => asked.includes(name));
const rowNames = asked.filter((name) => !Object.hasOwn(tables, name));
const line = (cells) => `| ${cells.join(" | ")} |`;

for (const [name, { head, rows, name: nameOf, cells }] of Object.entries(tables)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const wanted = rows.filter((row) => rowNames.length === 0 || rowNames.includes(nameOf(row)));
  if (wanted.length === 0) continue;
  console.log(`${name}\n\n${line(head)}\n${line(head.map(() => "---")).replaceAll(" ", "")}`);
  for (const row of wanted) console.log(line([nameOf(row), ...cells(row)]));
  console.log();
}

// Measures the figures of docs/benchmarks.md, each a ratio of two things measured side by side on this machine.
//   pnpm bench                   all but the long ones
//   pnpm bench --long            all
//   pnpm bench start validate    some by name
//   pnpm bench --stretch         on a slow machine: servers that take their time take as many times longer as this machine
//   pnpm bench --json            as JSON
import { cpus } from "node:os";
import { figures } from "./figures.js";
import { forgetCompiled, slowdownNow } from "./support.js";

const unknownTo = (known, given) => given.find((word) => !known.includes(word));
const words = process.argv.slice(2);
const flags = words.filter((word) => word.startsWith("-"));
const names = words.filter((word) => !word.startsWith("-"));
const allNames = figures.map(({ name }) => name);
const unknown = unknownTo(["--long", "--stretch", "--json"], flags) ?? unknownTo(allNames, names);

if (unknown === undefined) await measureAll();
else {
  process.stderr.write(`There is no "${unknown}". There are: --long, --stretch, --json, ${allNames.join(", ")}\n`);
  process.exitCode = 1;
}

async function measureAll() {
  const isAsked = ({ name, long }) => (names.length > 0 ? names.includes(name) : !long || flags.includes("--long"));
  const latencyOf = flags.includes("--stretch") ? (ms) => Math.round(ms * slowdownNow()) : (ms) => ms;
  const rows = [];
  for (const figure of figures.filter(isAsked)) {
    process.stderr.write(`measuring ${figure.name} …\n`);
    forgetCompiled();
    rows.push(...rowsOf(figure, await figure.measure({ latencyOf })));
  }
  const machine = { node: process.version, cpus: cpus().length, cpu: cpus()[0]?.model };
  process.stdout.write(
    flags.includes("--json") ? `${JSON.stringify({ machine, rows }, null, 2)}\n` : renderTable(rows),
  );
}

/** One row for each target; a target that this Node has no say in was not measured. */
function rowsOf({ name, targets }, measured) {
  return Object.entries(measured).map(([unit, { value, detail }]) => {
    const target = targets[unit];
    return { figure: name, unit, measured: Number(value.toFixed(2)), target, reached: value <= target, detail };
  });
}

function renderTable(rows) {
  const heads = ["figure", "unit", "measured", "target", "reached", "detail"];
  const lines = [
    heads,
    ...rows.map((row) => heads.map((head) => (head === "reached" ? (row[head] ? "yes" : "NO") : String(row[head])))),
  ];
  const widths = heads.map((_, column) => Math.max(...lines.map((cells) => cells[column].length)));
  const render = (cells) => cells.map((cell, column) => cell.padEnd(widths[column])).join("  ");
  return lines.map((cells) => `${render(cells).trimEnd()}\n`).join("");
}

import { tables as comparisonTables } from "./comparison-tables.js";
import { growthTables } from "./growth-tables.js";
import { habitTables } from "./habit-tables.js";
import { looksTables } from "./looks-tables.js";
import { runTables } from "./run-tables.js";
import { trialTables } from "./trial-tables.js";

/** The tables of docs/statistics.md and docs/method.md, by their names. */
export const tables = {
  ...comparisonTables,
  ...growthTables,
  ...habitTables,
  ...looksTables,
  ...runTables,
  ...trialTables,
};

const line = (cells) => `| ${cells.join(" | ")} |`;

/** The first of the cells, which are simulated as they are asked for. */
function firstOf(cells, most) {
  const taken = [];
  for (const cell of cells) if (taken.push(cell) >= most) break;
  return taken;
}

/** The lines of a table, with the rows that are wanted by their first column, and `most` cells of each; null if none is. */
export function renderTable({ head, rows, name, cells }, isWanted, most = Infinity) {
  const wanted = rows.filter((row) => isWanted(name(row)));
  if (wanted.length === 0) return null;
  const lines = wanted.map((row) => line([name(row), ...firstOf(cells(row), most)]));
  return [line(head), `|${"---|".repeat(head.length)}`, ...lines];
}

/** Where a table is in the text of a page. */
export const placeOf = (name) => new RegExp(`(<!-- comparison-power.js ${name} -->\n\n)((?:\\|.*\n)*)`);

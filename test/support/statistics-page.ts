import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "vitest";
import { repository } from "./run-cli.js";

interface Table {
  rows: readonly unknown[];
}

interface Tables {
  tables: Readonly<Record<string, Table>>;
  renderTable(table: Table, isWanted: (row: string) => boolean, most?: number): readonly string[] | null;
  placeOf(name: string): RegExp;
}

const file = join(repository, "bench", "statistics-tables.js");
const { tables, renderTable, placeOf } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Tables;

export const tableNames = Object.keys(tables);

/** The pages that have the tables. */
export const page = ["statistics.md", "method.md"]
  .map((name) => readFileSync(join(repository, "docs", name), "utf8"))
  .join("\n");

/**
 * Simulates a table of the pages again and holds them to it. With the name of a row only that one, and with a number only
 * its first cells: they come out as they do within the whole. If this fails because the rule has changed on purpose: node bench/comparison-power.js --write
 */
export function expectOnPage(name: string, row?: string, most = Infinity): void {
  const table = tables[name] ?? expect.unreachable(`no table ${name}`);
  const shown = placeOf(name).exec(page)?.[2]?.trimEnd().split("\n") ?? [];
  const rendered = renderTable(table, (one) => row === undefined || one === row, most) ?? [];
  if (row === undefined) expect(rendered).toEqual(shown);
  else
    expect(rendered).toEqual([
      ...shown.slice(0, 2),
      startOf(
        shown.find((line) => line.startsWith(`| ${row} |`)),
        most,
      ),
    ]);
}

/** A line of a table with its name and `most` cells. */
function startOf(line: string | undefined, most: number): string | undefined {
  const cells = line?.split(" |").slice(0, -1);
  return cells === undefined ? undefined : `${cells.slice(0, most + 1).join(" |")} |`;
}

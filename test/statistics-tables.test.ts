import { expect, it } from "vitest";
import { expectOnPage, page } from "./support/statistics-page.js";

/** Rows that do not take long to simulate, or so many of their cells; test/long simulates the whole page. */
const rows: [table: string, row: string, cells?: number][] = [
  ["alarms", "20 × 1", 1],
  // With one case less none is ok.
  ["unchanged", "74 × 1", 1],
  ["power", "10 × 1"],
  ["flags", "20 × 5"],
  ["advice", "20 × 1, 0.9 fell to 0.7"],
  ["growth", "tokens, 5 × 5", 2],
  ["saving", "20 × 1", 1],
  ["confirmation", "20 × 5", 1],
  ["run-alarms", "2 suites, 20 × 1", 3],
  ["run-power", "2 suites, 20 × 1", 3],
  ["looks-alarms", "10 × 3 to 12", 1],
  ["looks-saved", "20 × 3 to 24, −0.3"],
  ["run-flags", "1 suite, 20 × 10"],
  ["early-end", "3 of 3"],
  ["sprt", "0.5"],
];

it.each(rows)("the table %s of the pages is as the simulation prints it, row %s", expectOnPage);

it("has no text right below a table, which would be a row of it", () => {
  expect(page).not.toMatch(/^\|.*\n[^|\n]/m);
});

import { it } from "vitest";
import { expectOnPage, tableNames } from "../support/statistics-page.js";

it.each(tableNames)("the table %s of the pages is the one that the simulation prints", (name) => {
  expectOnPage(name);
});

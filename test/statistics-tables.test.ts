import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { repository } from "./support/run-cli.js";

/** Rows that do not take long to simulate; the others come from the same code. */
const rows = ["10 × 1", "20 × 1", "3 of 3", "0.9"];

it("the tables of docs/statistics.md are those that the simulation prints", () => {
  const printed = execFileSync(process.execPath, [join(repository, "bench/comparison-power.js"), ...rows], {
    encoding: "utf8",
  });
  const page = readFileSync(join(repository, "docs/statistics.md"), "utf8");
  const shown = printed.split("\n").filter((line) => rows.some((row) => line.startsWith(`| ${row} |`)));
  expect(shown.length).toBeGreaterThanOrEqual(8);
  // If this fails because the rule has changed on purpose: node bench/comparison-power.js --write
  for (const line of shown) expect(page).toContain(`${line}\n`);
  // Text right below a table would be a row of it.
  expect(page).not.toMatch(/^\|.*\n[^|\n]/m);
}, 60_000);

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { largeRun } from "../../bench/large-run.js";
import { renderHtml } from "../../packages/cli/src/reporters/html/render-html.js";
import { makeProject } from "../../packages/core/src/__fixtures__/make-project.js";
import type { ViewerAssets } from "../../packages/cli/src/reporters/html/embed.js";
import type { RunResult } from "../../packages/core/dist/index.js";
import { openReport } from "../support/open-browser.js";
import { readHtmlReport } from "../support/read-html-report.js";
import { repository } from "../support/run-cli.js";

const cases = 1_000;
let file = "";
let html = "";

beforeAll(async () => {
  const run = largeRun({ cases, trials: 3, isHostile: true }) as unknown as RunResult;
  const built: unknown = JSON.parse(readFileSync(join(repository, "packages/cli/dist/viewer.json"), "utf8"));
  const viewer = Promise.resolve(built as ViewerAssets);
  const options = { verbose: false, color: false, width: 80, redact: (text: string) => text };
  for await (const piece of renderHtml(run, options, { viewer })) html += piece;
  file = join(makeProject({}), "report.html");
  writeFileSync(file, html);
});

it("draws the cases that are seen and no others, wherever it is scrolled to", async () => {
  const { page, errors } = await openReport(file, { fragment: "view=cases" });
  const list = page.getByRole("listbox").first();
  const rows = list.getByRole("option");
  await rows.first().waitFor();
  const seen = new Set<string>();
  for (const share of [0, 0.5, 1]) {
    await list.evaluate((element, at) => element.scrollTo(0, at * element.scrollHeight), share);
    await expect.poll(async () => seen.has((await rows.nth(12).innerText()).split("\n").join(" "))).toBe(false);
    expect(await rows.count()).toBeLessThan(80);
    seen.add((await rows.nth(12).innerText()).split("\n").join(" "));
  }
  expect(errors).toEqual([]);
});

it("opens a case of the last chunk from its address, with hostile text as text, and asks nobody for anything", async () => {
  const { index, details } = readHtmlReport(html);
  const place = index.cases.findLastIndex(({ status }) => status === "failed");
  const id = index.cases[place]?.id ?? "";
  const { page, requests, violations, errors } = await openReport(file, {
    fragment: `view=cases&case=${encodeURIComponent(id)}`,
  });
  const said = details[place]?.trials[(index.cases[place]?.shownTrial ?? 1) - 1]?.rows?.at(-1)?.text ?? "";
  expect(said).toContain("</script><img src=x");
  await page.getByText(said.slice(0, 60)).first().waitFor();
  expect((await page.locator("body").innerText()).includes("<img src=x onerror=")).toBe(true);
  expect(await page.locator("img").count()).toBe(0);
  expect({ requests, violations: await violations(), errors }).toEqual({ requests: [], violations: [], errors: [] });
});

it("says what is wrong with a file that was cut off", async () => {
  const cut = join(makeProject({}), "cut.html");
  writeFileSync(cut, html.replace(/(id="report-chunk-0">.{200})[^<]*/, "$1"));
  const { page } = await openReport(cut, {
    fragment: `case=${encodeURIComponent(readHtmlReport(html).index.cases[0]?.id ?? "")}`,
  });
  await page
    .getByText(/may have been cut off/)
    .first()
    .waitFor();
});

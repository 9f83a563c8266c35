import { expect, it } from "vitest";
import { findBarriers } from "../support/find-barriers.js";
import { openBrowser } from "../support/open-browser.js";

const dim = "@media (prefers-color-scheme: dark) { body { background: #000; color: #333 } }";
const markup = `<!doctype html><html lang="en"><title>A page</title><style>${dim} p { width: 600px }</style>
<main><h1>A page</h1><p>Text</p></main></html>`;

it("finds text that is too dim in one scheme of colors alone, and what is too wide for a phone alone", async () => {
  const browser = await openBrowser();
  const page = await browser.newPage();
  await page.setContent(markup);
  const tooDim = "color-contrast <h1>A page</h1> <p>Text</p>";
  const tooWide = expect.stringMatching(/^390 (?:light|dark): \d+ px wider than the window$/);
  expect(await findBarriers(page)).toEqual([tooWide, `390 dark: ${tooDim}`, tooWide, `1440 dark: ${tooDim}`]);
  await page.setContent(markup.replace("<h1>A page</h1>", "<img src=x>").replace(dim, "").replace("600px", "9px"));
  const noText = expect.stringContaining("image-alt <img src");
  expect(await findBarriers(page)).toEqual(expect.arrayContaining([noText]));
});

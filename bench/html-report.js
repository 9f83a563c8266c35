// Measures the HTML report of a large run in Chromium, and takes screenshots of it.
//   node bench/html-report.js                          10,000 cases, 3 trials each
//   node bench/html-report.js --cases 500
//   node bench/html-report.js --file report.html       another report
//   node bench/html-report.js --screenshots out        writes pictures of its views into a folder
// Figures depend on the machine. Targets: ready 1 s, heap 30 MB, scroll p95 34 ms, open p95 100 ms, file 35% of the raw data.
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { largeRun } from "./large-run.js";
import { root } from "./support.js";

const { values } = parseArgs({
  options: {
    cases: { type: "string", default: "10000" },
    file: { type: "string" },
    screenshots: { type: "string" },
    loads: { type: "string", default: "3" },
  },
});
const executablePath = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
const args = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--enable-precise-memory-info"];
/** A case in the list. */
const row = '[role="option"]';
const frames = 300;
const openings = 60;

const folder = await mkdtemp(join(tmpdir(), "kindlm-report-"));
const browser = await chromium.launch({ executablePath, args: [...args, "--js-flags=--expose-gc"] });
try {
  const written = values.file === undefined ? await write(join(folder, "report.html"), Number(values.cases)) : {};
  const file = resolve(values.file ?? join(folder, "report.html"));
  if (values.screenshots === undefined) await measure(file, written);
  else await takePictures(file, values.screenshots);
} finally {
  await browser.close();
  await rm(folder, { recursive: true });
}

/** The report of a run, written as the command line writes it; what that took, and the bytes of the transcripts alone. */
async function write(file, cases) {
  const { renderHtml } = await import(join(root, "packages/cli/build/reporters/html/render-html.js"));
  const assets = readFileSync(join(root, "packages/cli/dist/viewer.json"), "utf8");
  const run = largeRun({ cases, trials: 3 });
  let rawBytes = 0;
  for await (const { messages, assertions, turns } of run.trials()) {
    rawBytes += JSON.stringify({ messages, assertions, turns }).length;
  }
  const options = { verbose: false, color: false, width: 80, redact: (text) => text };
  const startedAt = performance.now();
  const handle = await open(file, "w");
  for await (const piece of renderHtml(run, options, { viewer: Promise.resolve(JSON.parse(assets)) })) {
    await handle.write(piece);
  }
  await handle.close();
  return { writtenMs: performance.now() - startedAt, rawBytes };
}

async function measure(file, { writtenMs, rawBytes }) {
  const loads = [];
  let page = null;
  for (let load = 0; load < Number(values.loads); load += 1) {
    await page?.close();
    page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    loads.push(await ready(page, file));
  }
  const heap = await page.evaluate("gc(), performance.memory.usedJSHeapSize");
  const scroll = await page.evaluate(scrollThrough, { row, frames });
  const opened = await page.evaluate(openCases, { row, openings });
  const { size } = statSync(file);
  const rows = {
    "file, MB": size / 1e6,
    ...(rawBytes === undefined ? {} : { "file ÷ transcripts, %": (100 * size) / rawBytes, "written, ms": writtenMs }),
    "ready, ms (median)": quantile(loads, 0.5),
    "JS heap, MB": heap / 1e6,
    "scroll frame p50, ms": quantile(scroll, 0.5),
    "scroll frame p95, ms": quantile(scroll, 0.95),
    "open a case p50, ms": quantile(opened, 0.5),
    "open a case p95, ms": quantile(opened, 0.95),
    "rows in the DOM": await page.locator(row).count(),
  };
  for (const [name, value] of Object.entries(rows)) process.stdout.write(`${name.padEnd(28)} ${value.toFixed(1)}\n`);
}

/** Milliseconds from the start of loading until the list has its first row. */
async function ready(page, file) {
  await page.goto(pathToFileURL(file).href, { waitUntil: "commit" });
  await page.locator(row).first().waitFor();
  return page.evaluate(() => performance.now());
}

/** Runs in the page. The time of each frame while the list scrolls. */
async function scrollThrough({ row: selector, frames: count }) {
  let list = document.querySelector(selector);
  while (list !== null && list.scrollHeight <= list.clientHeight + 1) list = list.parentElement;
  const times = [];
  let last = await new Promise(requestAnimationFrame);
  for (let frame = 0; frame < count; frame += 1) {
    list.scrollTop += 650;
    const now = await new Promise(requestAnimationFrame);
    times.push(now - last);
    last = now;
  }
  return times;
}

/** Runs in the page. From the change of the address until the case is there. */
async function openCases({ row: selector, openings: count }) {
  let list = document.querySelector(selector);
  while (list !== null && list.scrollHeight <= list.clientHeight + 1) list = list.parentElement;
  const heading = () => document.querySelector("h2")?.textContent;
  const frame = () => new Promise(requestAnimationFrame);
  const times = [];
  for (let opening = 0; opening < count; opening += 1) {
    // Far from the last one, so that it is in another chunk.
    list.scrollTop = ((opening * 7_919) % 1_000) * (list.scrollHeight / 1_000);
    await frame();
    await frame();
    const rows = document.querySelectorAll(selector);
    const before = heading();
    const startedAt = performance.now();
    rows[Math.floor(rows.length / 2)].click();
    while (heading() === before && performance.now() - startedAt < 5_000) await new Promise((done) => setTimeout(done));
    times.push(performance.now() - startedAt);
  }
  return times;
}

function quantile(values_, share) {
  const sorted = values_.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

async function takePictures(file, to) {
  mkdirSync(to, { recursive: true });
  const wide = { width: 1440, height: 900 };
  const views = {
    overview: { fragment: "view=run", viewport: wide },
    "failing-case": { fragment: "view=cases&status=failed&kind=1", viewport: wide, isOpened: true },
    comparison: { fragment: "view=compare", viewport: wide, isOpened: true },
    dark: { fragment: "view=cases&status=failed", viewport: wide, colorScheme: "dark", isOpened: true },
    phone: { fragment: "view=cases", viewport: { width: 390, height: 844 } },
    "phone-run": { fragment: "view=run", viewport: { width: 390, height: 844 } },
    "phone-comparison": { fragment: "view=compare", viewport: { width: 390, height: 844 } },
    "phone-case": { fragment: "view=cases&status=failed", viewport: { width: 390, height: 844 }, isOpened: true },
  };
  for (const [name, { fragment, viewport, colorScheme = "light", isOpened = false }] of Object.entries(views)) {
    const page = await browser.newPage({ viewport, colorScheme });
    await page.goto(`${pathToFileURL(file).href}#${fragment}`);
    if (isOpened) await page.locator(row).first().click();
    await page.waitForTimeout(500);
    await page.screenshot({ path: join(to, `${name}.png`) });
    await page.close();
  }
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { hostileText } from "../bench/large-run-conversation.js";
import { largeRun } from "../bench/large-run.js";
import { renderHtml } from "../packages/cli/src/reporters/html/render-html.js";
import type { ViewerAssets } from "../packages/cli/src/reporters/html/embed.js";
import type { RunResult } from "../packages/core/dist/index.js";
import { readHtmlReport } from "./support/read-html-report.js";
import { repository } from "./support/run-cli.js";

const kilobyte = 1_000;
const cases = 120;
const run = largeRun({ cases, trials: 3, isHostile: true }) as unknown as RunResult;
const built: unknown = JSON.parse(readFileSync(join(repository, "packages/cli/dist/viewer.json"), "utf8"));
const viewer = built as ViewerAssets;

async function render(mostCharacters = 50_000_000): Promise<string> {
  const options = { verbose: false, color: false, width: 80, redact: (text: string) => text };
  const pieces: string[] = [];
  const parts = { viewer: Promise.resolve(viewer), mostCharacters };
  for await (const piece of renderHtml(run, options, parts)) pieces.push(piece);
  return pieces.join("");
}

let html = "";
beforeAll(async () => {
  html = await render();
});

it("needs 60 kB for its scripts, 20 kB for its styles, and 35% of the transcripts for its data", () => {
  const { index, text, dataBytes } = readHtmlReport(html);
  const scriptBytes = viewer.starter.length + (/id="report-app">([^<]*)</.exec(html)?.[1]?.length ?? Infinity);
  expect(scriptBytes).toBeLessThan(60 * kilobyte);
  expect(viewer.style.length).toBeLessThan(20 * kilobyte);
  expect(html.length - dataBytes).toBeLessThan(80 * kilobyte);
  expect(index.cases).toHaveLength(cases);
  expect(dataBytes).toBeLessThan(0.35 * text.length);
});

it("has the cases of each chunk in the order of the index", () => {
  const { index, details } = readHtmlReport(html);
  expect(index.chunkSize).toBe(50);
  expect(html.match(/id="report-chunk-\d+"/g)).toHaveLength(Math.ceil(cases / 50));
  expect(details.map(({ trials }) => trials.map(({ status }) => status.charAt(0)).join(""))).toEqual(
    index.cases.map(({ trials }) => trials),
  );
  expect(details.map(({ command }) => command.includes("-t"))).not.toContain(false);
});

it("contains hostile text in its data alone, with what is hidden in it written out", () => {
  expect(html.includes(hostileText.slice(0, 20))).toBe(false);
  const { details } = readHtmlReport(html);
  const said = details.flatMap(({ trials }) =>
    trials.flatMap(({ rows }) => (rows ?? []).map(({ text }) => text ?? "")),
  );
  const hostile = said.find((text) => text.includes("onerror="));
  expect(hostile).toContain(String.raw`␛[31mred␛[0m \u202etxet\u202c ␀`);
});

it("leaves out transcripts of passed trials when it gets too large, never of those that it opens with, and says so", async () => {
  const { index, details } = readHtmlReport(await render(1));
  const trials = details.flatMap(({ trials: all }, place) => all.map((trial) => ({ trial, test: index.cases[place] })));
  const later = trials.slice(3 * index.chunkSize);
  const without = later.filter(({ trial }) => trial.rows === null);
  expect(without.length).toBeGreaterThan(0);
  expect(without.every(({ trial, test }) => trial.status === "passed" && trial.trial !== test?.shownTrial)).toBe(true);
  const passed = later.filter(({ trial, test }) => trial.status === "passed" && trial.trial !== test?.shownTrial);
  expect(passed).toHaveLength(without.length);
  expect(index.head.notes.join()).toContain(`The transcripts of ${without.length} passed trials are left out`);
  expect(trials.slice(0, 150).every(({ trial }) => trial.rows !== null)).toBe(true);
});

import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { findChromium, quietChromium } from "./find-chromium.js";

/**
 * Takes the pictures of the HTML report in docs/images, one for each color scheme. The report is that of
 * examples/quick-start, made by the built program, and it opens at the case that fails.
 */

const repository = fileURLToPath(new URL("..", import.meta.url));
const bin = join(repository, "packages/cli/dist/bin.cjs");
const largest = 150_000;
const fragment = `view=cases&case=${encodeURIComponent("order-agent/asks-before-cancelling@offline")}`;

/** The exit code does not matter: the example has a test that fails. */
function kindlm(args, cwd) {
  return new Promise((resolve) => {
    execFile(process.execPath, [bin, ...args], { cwd, env: { PATH: process.env["PATH"] } }, () => resolve());
  });
}

async function takePictures(report) {
  const browser = await chromium.launch({ executablePath: findChromium(), args: quietChromium });
  for (const colorScheme of ["light", "dark"]) {
    const page = await browser.newPage({ viewport: { width: 1200, height: 858 }, colorScheme });
    await page.goto(`${pathToFileURL(report).href}#${fragment}`);
    await page.getByText("Order ORD-1 is cancelled.").first().waitFor();
    const path = join(repository, `docs/images/report-${colorScheme}.png`);
    await page.screenshot({ path });
    await page.close();
    const { size } = await stat(path);
    console.log(`docs/images/report-${colorScheme}.png: ${size} bytes`);
    if (size > largest) process.exitCode = 1;
  }
  await browser.close();
}

const project = await mkdtemp(join(tmpdir(), "kindlm-picture-"));
await cp(join(repository, "examples/quick-start"), project, { recursive: true });
await kindlm(["test"], project);
await kindlm(["open", "--print"], project);
const runs = join(project, ".kindlm/runs");
const run = (await readdir(runs)).find((name) => !name.startsWith(".")) ?? "";
await takePictures(join(runs, run, "report.html"));
await rm(project, { recursive: true });

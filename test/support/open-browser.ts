import { text as textOf } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { chromium, type Browser, type Page } from "playwright-core";
import { afterFile } from "../../packages/core/src/__fixtures__/clean-up.js";
import { findChromium, quietChromium } from "../../scripts/find-chromium.js";

export interface PageOptions {
  /** What stands behind `#`. */
  fragment?: string;
  width?: number;
  height?: number;
  colorScheme?: "light" | "dark";
  reducedMotion?: "reduce" | "no-preference";
  /** False as on a server that forbids scripts. */
  javaScriptEnabled?: boolean;
}

/** A report that a browser shows, and what went wrong in it. */
export interface OpenReport {
  page: Page;
  /** Addresses that were asked for, that of the file left out. */
  requests: readonly string[];
  /** What the policy of the page forbade. */
  violations: () => Promise<readonly string[]>;
  /** Uncaught errors, and errors on the console. */
  errors: readonly string[];
  /** Text in the file of a download that an action starts. */
  download: (action: () => Promise<unknown>) => Promise<string>;
}

let started: Promise<Browser> | null = null;

/** One browser for all tests of a file. */
export function openBrowser(more: readonly string[] = []): Promise<Browser> {
  if (started === null) {
    const launched = chromium.launch({ executablePath: findChromium(), args: [...quietChromium, ...more] });
    started = launched;
    afterFile(async () => {
      started = null;
      await (await launched).close();
    });
  }
  return started;
}

/** Opens a report in a window of its own, from `file:`. */
export async function openReport(file: string, options: PageOptions = {}): Promise<OpenReport> {
  const { fragment = "", width = 1440, height = 900, ...context } = options;
  const browser = await openBrowser();
  const page = await browser.newPage({ viewport: { width, height }, ...context });
  const requests: string[] = [];
  const errors: string[] = [];
  const url = pathToFileURL(file).href;
  page.on("request", (request) => {
    if (request.url().split("#", 1)[0] !== url && !request.url().startsWith("data:")) requests.push(request.url());
  });
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  await page.addInitScript(() => {
    const seen: string[] = [];
    Object.assign(globalThis, { kindlmViolations: seen });
    addEventListener("securitypolicyviolation", (event) => {
      seen.push(`${event.effectiveDirective}: ${event.blockedURI} ${event.sample}`);
    });
  });
  await page.goto(`${url}${fragment === "" ? "" : `#${fragment}`}`);
  return {
    page,
    requests,
    errors,
    violations: () => page.evaluate<string[]>("kindlmViolations"),
    async download(action) {
      const [download] = await Promise.all([page.waitForEvent("download"), action()]);
      return textOf(await download.createReadStream());
    },
  };
}

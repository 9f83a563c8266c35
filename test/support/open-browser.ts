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
  /** Opens the report anew with another fragment, as a document of its own in the same window. */
  reopen: (fragment: string) => Promise<void>;
  /** Text in the file of a download that an action starts. */
  download: (action: () => Promise<unknown>) => Promise<string>;
}

let started: Promise<Browser> | null = null;

/** One browser for all files of a worker, which ends with the worker. The pages of a file are closed at its end. */
export async function openBrowser(): Promise<Browser> {
  started ??= chromium.launch({ executablePath: findChromium(), args: [...quietChromium] });
  const browser = await started;
  afterFile(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
  });
  return browser;
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
    if (request.url().split(/[?#]/, 1)[0] !== url && !request.url().startsWith("data:")) requests.push(request.url());
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
  let documents = 0;
  const show = async (place: string): Promise<void> => {
    // From one fragment to another, a browser would keep the document; after another query it does not.
    const query = documents === 0 ? "" : `?${documents}`;
    documents += 1;
    await page.goto(`${url}${query}${place === "" ? "" : `#${place}`}`);
  };
  await show(fragment);
  return {
    page,
    requests,
    errors,
    violations: () => page.evaluate<string[]>("kindlmViolations"),
    reopen: show,
    async download(action) {
      const [download] = await Promise.all([page.waitForEvent("download"), action()]);
      return textOf(await download.createReadStream());
    },
  };
}

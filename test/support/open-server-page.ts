import type { Page } from "playwright-core";
import type { BrowsedServer } from "../../packages/server/src/__fixtures__/browsed-server.js";
import { openBrowser, type PageOptions } from "./open-browser.js";

/** A page of the results server that a browser shows, and what went wrong in it. */
export interface OpenServerPage {
  page: Page;
  /** Addresses that were asked for, without the origin. */
  requests: readonly string[];
  violations: () => Promise<readonly string[]>;
  errors: readonly string[];
}

export interface ServerPageOptions extends PageOptions {
  role?: "owner" | "member" | "viewer";
}

export async function openServerPage(
  server: BrowsedServer,
  path: string,
  { role = "owner", width = 1440, height = 900, fragment: _fragment, ...context }: ServerPageOptions = {},
): Promise<OpenServerPage> {
  const browser = await openBrowser();
  const opened = await browser.newContext({ viewport: { width, height }, ...context });
  await opened.addCookies([{ name: "kindlm", value: await server.cookieOf(role), url: server.origin }]);
  const page = await opened.newPage();
  const [requests, errors]: [string[], string[]] = [[], []];
  page.on("request", (request) => requests.push(request.url().replace(server.origin, "")));
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
  await page.goto(`${server.origin}${path}`);
  return { page, requests, errors, violations: () => page.evaluate<string[]>("kindlmViolations") };
}

import { once } from "node:events";
import type { BrowserContext, Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { makeProject } from "../../packages/core/src/__fixtures__/make-project.js";
import { sampleUpload } from "../../packages/server/src/__fixtures__/sample-upload.js";
import { findBarriers } from "../support/find-barriers.js";
import { openBrowser } from "../support/open-browser.js";
import { sendTo, startServerProcess, type StartedServer } from "../support/started-server.js";

const email = "ada@example.com";
const password = "correct horse battery";
let server: StartedServer;
let context: BrowserContext;
let page: Page;
/** What the policy forbade, uncaught errors, and what keeps people from reading a page. */
const wrong: string[] = [];

async function openContext(options: { javaScriptEnabled?: boolean } = {}): Promise<BrowserContext> {
  const browser = await openBrowser();
  const opened = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  opened.on("weberror", (error) => wrong.push(error.error().message));
  opened.on("console", (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) wrong.push(message.text());
  });
  return opened;
}

const path = (): string => page.url().slice(server.origin.length);
const heading = (): Promise<string | null> => page.textContent("h1");

async function examine(at: string): Promise<void> {
  await page.goto(`${server.origin}${at}`);
  wrong.push(...(await findBarriers(page)).map((one) => `${at} ${one}`));
}

beforeAll(async () => {
  server = await startServerProcess({ cwd: makeProject({}) });
  context = await openContext();
  page = await context.newPage();
});

it("takes a team from the setup link to a run, a login of the command line, and out again", async () => {
  while (!server.stderr().includes("/setup#")) await once(server.child.stderr ?? server.child, "data");
  const link = /http\S+\/setup#\S+/.exec(server.stderr())?.[0] ?? "";
  await examine("/setup");
  await page.goto(link);
  // The secret leaves the address.
  await page.waitForURL(`${server.origin}/setup`);
  // With the keyboard alone: the link to the content, then the fields.
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to the content");
  await page.focus("[name=secret]");
  await page.keyboard.press("Tab");
  for (const text of ["Acme", email, password]) {
    await page.keyboard.type(text);
    await page.keyboard.press(text === password ? "Enter" : "Tab");
  }
  await page.waitForURL(`${server.origin}/`);
  expect(await heading()).toBe("Projects");
  await examine("/");

  await page.fill("[name=name]", "shop");
  await page.keyboard.press("Enter");
  await page.waitForURL(`${server.origin}/p/shop`);
  expect(await page.textContent(".command code")).toBe(`kindlm login --server ${server.origin}\nkindlm test --upload`);
  await examine("/p/shop");

  await page.click("text=Tokens");
  await page.fill("[name=name]", "<script>alert(1)</script>");
  await page.click("button.primary");
  await page.waitForSelector(".command");
  const token = (await page.textContent("#command")) ?? "";
  const send = sendTo(server.origin, token);
  const runs = [
    sampleUpload({ run: "one" }),
    sampleUpload({ run: "two", branch: "<b>x", cases: [{ name: "a", status: "failed" }] }),
  ];
  for (const run of runs) {
    expect(await send("PUT", `/api/v1/projects/shop/runs/${run.run.run}`, run)).toMatchObject({ status: 201 });
  }
  await page.goto(`${server.origin}/p/shop`);
  expect(await page.locator("tbody tr").count()).toBe(2);
  expect(await page.textContent("time")).not.toContain("UTC");
  await page.click("tbody a");
  expect(path()).toBe("/p/shop/runs/two");

  const asked = await sendTo(server.origin)("POST", "/api/v1/auth/device");
  await page.goto(String(asked.json["verification_uri"]));
  await page.fill("[name=code]", String(asked.json["user_code"]).toLowerCase());
  await page.keyboard.press("Enter");
  await page.waitForSelector(".user-code");
  expect(await page.textContent(".user-code")).toBe(asked.json["user_code"]);
  await page.click('button:text("Approve")');
  await page.waitForSelector("text=Approved.");
  const grant = { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: asked.json["device_code"] };
  const granted = await sendTo(server.origin)("POST", "/api/v1/auth/token", grant);
  const me = await sendTo(server.origin, String(granted.json["access_token"]))("GET", "/api/v1/me");
  expect(me.json).toMatchObject({ organization: "Acme", projects: ["shop"] });

  const waiting = await sendTo(server.origin)("POST", "/api/v1/auth/device");
  await page.goto(`${server.origin}/p/shop/settings`);
  await page.fill("[name=url]", "https://hooks.example.com/kindlm");
  await page.click('button:text("Add the webhook")');
  expect(await page.textContent(".command code")).toMatch(/^whsec_/);
  const pages = [
    "/",
    "/p/shop",
    "/p/shop?branch=none",
    "/p/shop/settings",
    "/tokens",
    "/people",
    "/audit",
    "/device",
    "/nowhere",
  ];
  for (const at of [...pages, `/device?code=${String(waiting.json["user_code"])}`]) await examine(at);
  await page.goto(`${server.origin}/`);
  await page.click('button:text("Sign out")');
  await page.waitForURL(`${server.origin}/login`);
  for (const at of ["/login", "/join"]) await examine(at);
  await page.goto(`${server.origin}/audit`);
  expect(path()).toBe("/login?to=%2Faudit");
  expect(wrong).toEqual([]);
});

it("works without scripts", async () => {
  const plain = await openContext({ javaScriptEnabled: false });
  const other = await plain.newPage();
  await other.goto(`${server.origin}/audit`);
  await other.fill("[name=email]", email);
  await other.fill("[name=password]", password);
  await other.click("button.primary");
  await other.waitForURL(`${server.origin}/audit`);
  expect(await other.textContent("tbody")).toContain("token.create");
  const cookie = (await plain.cookies()).find(({ name }) => name === "kindlm");
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Lax", path: "/" });
  expect(wrong).toEqual([]);
});

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { makeProject } from "../../packages/core/src/__fixtures__/make-project.js";
import { findBarriers, findBarriersHere } from "../support/find-barriers.js";
import { openReport, type OpenReport, type PageOptions } from "../support/open-browser.js";
import { runCli } from "../support/run-cli.js";

const config = (amount: number): string =>
  JSON.stringify({
    version: 1,
    project: "shop",
    circuit_breaker: false,
    models: [
      ...["gpt", "claude"].map((id) => ({
        id,
        provider: "scripted",
        script: {
          rules: [
            { when: { user: "fail" }, reply: { error: { status: 401 } } },
            {
              when: { user: { $contains: "refund" }, turn: 1 },
              reply: {
                tool_calls: [
                  { tool: "issue_refund", args: { order_id: "ORD-4", amount: id === "gpt" ? amount : 1250 } },
                ],
              },
            },
          ],
          otherwise: { text: "Your <b>refund</b> is on its way." },
        },
      })),
      {
        id: "critic",
        provider: "scripted",
        script: { otherwise: { json: { reasoning: "It names the next step.", score: 0.9 } } },
      },
    ],
    defaults: { judge: "critic", models: ["gpt", "claude"] },
    suites: [
      {
        name: "refunds",
        tools: [{ name: "issue_refund", default: { return: { refund_id: "RF-4" } } }],
        tests: [
          {
            name: "full-refund",
            runs: 3,
            tags: ["money"],
            input: "refund ORD-4",
            assert: [
              { type: "tool_called", tool: "issue_refund", args: { order_id: "ORD-4", amount: 1250 } },
              { type: "judge", id: "tone", criteria: "Says what happens next" },
            ],
          },
          { name: "greets", input: "hello", assert: [{ type: "contains", value: "refund" }] },
        ],
      },
      {
        name: "orders",
        tests: [
          {
            name: "where-is",
            models: ["gpt"],
            input: "where is ORD-9",
            assert: [{ type: "contains", value: "delivered" }],
          },
          { name: "errors", models: ["gpt"], input: "fail", assert: [{ type: "contains", value: "refund" }] },
        ],
      },
    ],
  });

let cwd = "";
let file = "";
const opened: OpenReport[] = [];

beforeAll(async () => {
  cwd = makeProject({ "kindlm.yaml": config(1250) });
  await runCli(["test"], { cwd });
  await runCli(["baseline", "set", "--allow-errored"], { cwd });
  writeFileSync(join(cwd, "kindlm.yaml"), config(1));
  await runCli(["test", "--reporter", "html=report.html"], { cwd });
  file = join(cwd, "report.html");
}, 60_000);

/** Whatever a test does, the page asks for nothing, breaks no rule of its policy, and has no error. */
afterEach(async () => {
  for (const { page, requests, violations, errors } of opened.splice(0)) {
    expect({ requests, violations: await violations(), errors }).toEqual({ requests: [], violations: [], errors: [] });
    await page.close();
  }
});

async function open(fragment = "", options: PageOptions = {}): Promise<OpenReport> {
  const report = await openReport(file, { fragment, ...options });
  opened.push(report);
  await report.page.getByRole("navigation", { name: "Views" }).waitFor();
  return report;
}

const failing = "refunds/full-refund@gpt";
const openFailing = `case=${encodeURIComponent(failing)}`;
const rows = (page: Page) => page.getByRole("listbox").getByRole("option");
const heading = (page: Page) => page.locator("#case-id");
const fragmentOf = (page: Page): string => decodeURIComponent(new URL(page.url()).hash);

describe("the list of cases", () => {
  it("is narrowed by counters, words, and choices, each of which a chip takes away", async () => {
    const { page } = await open();
    expect(await rows(page).count()).toBe(6);
    await page.getByRole("button", { name: "2 failed" }).click();
    expect(await rows(page).allInnerTexts()).toEqual([
      expect.stringContaining("full-refund"),
      expect.stringContaining("where-is"),
    ]);
    await page.getByRole("searchbox", { name: "Filter cases by words" }).fill("MONEY refund");
    await expect.poll(() => rows(page).count()).toBe(1);
    expect(await page.getByRole("status").first().innerText()).toBe("1 of 6 cases");
    await expect.poll(() => fragmentOf(page)).toBe("#status=failed&q=MONEY+refund");
    await page.getByRole("button", { name: "Remove filter failed" }).click();
    await expect.poll(() => rows(page).count()).toBe(2);
    await page.getByRole("combobox", { name: "Model" }).selectOption("claude");
    await expect.poll(() => rows(page).count()).toBe(1);
    await page.getByRole("button", { name: "Clear all" }).click();
    await expect.poll(() => rows(page).count()).toBe(6);
  });

  it("goes back and forward through what was selected", async () => {
    const { page } = await open();
    await rows(page).first().click();
    await page.getByRole("link", { name: "Run" }).click();
    await page.getByRole("heading", { name: "2 cases failed in 2 ways" }).waitFor();
    await page.goBack();
    await heading(page).waitFor();
    expect(await heading(page).innerText()).toContain(failing);
    await page.goBack();
    await page.getByRole("article", { name: "Overview" }).waitFor();
    await page.goForward();
    await heading(page).waitFor();
  });

  it("is searched through all that was said", async () => {
    const { page } = await open();
    await page.keyboard.press("s");
    await page.keyboard.type("<B>Refund");
    await page.keyboard.press("Enter");
    await expect.poll(() => rows(page).count()).toBe(5);
    expect(fragmentOf(page)).toBe("#text=<B>Refund");
    await page.getByRole("button", { name: "Remove filter transcripts" }).click();
    await expect.poll(() => rows(page).count()).toBe(6);
  });
});

describe("a case", () => {
  it("shows its conversation with the argument that was rejected, as text", async () => {
    const { page } = await open(openFailing);
    const transcript = page.getByRole("region", { name: "Transcript" });
    expect(await transcript.locator(".rejected").innerText()).toMatch(/amount\s+1 expected 1250/);
    expect(await transcript.innerText()).toContain("Your <b>refund</b> is on its way.");
    expect(await transcript.locator(".said b").count()).toBe(0);
    expect(await page.getByRole("tab").allInnerTexts()).toEqual([expect.stringMatching(/Trials 1, 2, 3/)]);
    await page.keyboard.press("2");
    await expect.poll(() => fragmentOf(page)).toContain("trial=2");
    await page.keyboard.press("e");
    expect(await transcript.locator(".folded").count()).toBeGreaterThan(2);
  });

  it("is reached by keys, which can be switched off", async () => {
    const { page } = await open();
    await page.getByRole("listbox").focus();
    await page.keyboard.press("End");
    await expect.poll(() => heading(page).innerText()).toContain("errors@gpt");
    await page.keyboard.press("Home");
    await expect.poll(() => heading(page).innerText()).toContain("full-refund@gpt");
    await page.keyboard.press("j");
    await expect.poll(() => heading(page).innerText()).toContain("full-refund@claude");
    await page.keyboard.press("n");
    await expect.poll(() => heading(page).innerText()).toContain("where-is@gpt");
    await page.keyboard.press("N");
    await expect.poll(() => heading(page).innerText()).toContain("full-refund@gpt");
    await page.keyboard.press("c");
    await page.getByRole("heading", { name: "Calls" }).waitFor();
    await page.keyboard.press("c");
    await heading(page).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("checkbox", { name: /Use these keys/ }).uncheck();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("k");
    await page.keyboard.press("n");
    expect(await heading(page).innerText()).toContain("full-refund@gpt");
    await page.getByRole("listbox").focus();
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => heading(page).innerText()).toContain("full-refund@claude");
  });

  it("is alone on a narrow screen, with a way back", async () => {
    const { page } = await open("", { width: 390, height: 844 });
    await rows(page).first().click();
    await heading(page).waitFor();
    expect(await page.getByRole("listbox").isVisible()).toBe(false);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("case-id");
    await page.getByRole("button", { name: "All cases" }).click();
    expect(await page.getByRole("listbox").isVisible()).toBe(true);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  });
});

describe("labels", () => {
  it("hide the judge until they are there, can be undone, and are exported for its calibration", async () => {
    const { page, download } = await open(openFailing);
    const judge = page.getByRole("region", { name: "Judge tone" });
    expect(await judge.innerText()).toContain("hidden until you label");
    expect(await page.getByText("It names the next step.").count()).toBe(0);
    await page.keyboard.press("f");
    expect(await judge.innerText()).toContain("It names the next step.");
    await page.keyboard.press("u");
    expect(await judge.innerText()).toContain("hidden until you label");
    await page.getByRole("button", { name: /Pass/ }).click();
    await page.getByRole("textbox", { name: "Note" }).fill('Says "soon"');
    await page.getByRole("textbox", { name: "Score" }).fill("0,8");
    await page.reload();
    await heading(page).waitFor();
    expect(await page.getByRole("textbox", { name: "Note" }).inputValue()).toBe('Says "soon"');
    await page.getByRole("button", { name: "Labels (1)" }).click();
    await page.getByRole("button", { name: "Export as JSON Lines" }).click();
    const text = await download(() => page.getByRole("link", { name: "Download" }).click());
    expect(JSON.parse(text)).toMatchObject({
      label: "pass",
      score: 0.8,
      criteria: "Says what happens next",
      note: 'Says "soon"',
      origin: { run: expect.stringMatching(/^\d{8}-/), case: failing, trial: 1 },
    });
    writeFileSync(join(cwd, "labels.jsonl"), text);
    const calibrated = await runCli(["judge", "calibrate", "labels.jsonl", "--test", "refunds/full-refund"], { cwd });
    expect(calibrated.stderr).toBe("");
    expect(calibrated.code).toBe(0);
    expect(calibrated.stdout).toContain("1 label");
  });

  it("are asked for a sample of trials, without a sign of how they ended", async () => {
    const { page } = await open();
    await page.getByRole("button", { name: "Labels" }).click();
    await page.getByRole("button", { name: "Draw a sample" }).click();
    await page.getByText("Sample: 1 of 6").waitFor();
    expect(await page.locator(".detail header .sign, .banner, [role=tab] .sign").count()).toBe(0);
    await page.getByRole("button", { name: "Next", exact: true }).click();
    await page.getByText("Sample: 2 of 6").waitFor();
    await page.getByRole("button", { name: "End sample" }).click();
    await page.locator(".detail header .sign").first().waitFor();
  });
});

/** Views, and what is there when they are. */
const views = {
  "": "[role=option]",
  [openFailing]: "#case-id",
  "view=compare": "[role=option]",
  [`view=compare&${openFailing}`]: ".diff",
  "view=compare&with=gpt..claude&all=yes": "[role=option]",
  "view=run": ".run .charts",
  "status=failed&kind=1": ".chip",
  "text=ORD-9": "text=1 of 6 cases",
  "q=nothing": "text=No case",
};

it("opens every view again from its address", async () => {
  const { page, reopen } = await open();
  const again = await open();
  const shownOn = (shown: Page) => shown.locator("main").innerText();
  for (const [fragment, sign] of Object.entries(views)) {
    await reopen(fragment);
    await page.locator(sign).first().waitFor();
    await again.reopen(new URL(page.url()).hash.slice(1));
    await again.page.locator(sign).first().waitFor();
    // Either may still have a part to load.
    const difference = async (): Promise<readonly string[]> => {
      const both = [await shownOn(page), await shownOn(again.page)];
      return both[0] === both[1] ? [] : both;
    };
    await expect.poll(difference, { message: fragment }).toEqual([]);
  }
});

it("compares with the baseline, and shows how the calls differ", async () => {
  const { page } = await open("view=compare");
  expect(await rows(page).allInnerTexts()).toEqual([
    expect.stringMatching(/full-refund@gpt[^]*3\/3[^]*0\/3[^]*▼ −100/),
  ]);
  await rows(page).first().click();
  const diff = page.locator(".diff");
  expect(await diff.innerText()).toMatch(/−[^]*1250[^]*\+[^]*"amount":1[^2]/);
});

describe("a file that was cut off", () => {
  const cut = (id: string): string => {
    const path = join(cwd, `${id}.html`);
    writeFileSync(path, readFileSync(file, "utf8").replace(new RegExp(`(id="${id}"[^>]*>.{40})[^<]*`), "$1"));
    return path;
  };

  it("says so where the index is damaged, and keeps the summary", async () => {
    const { page } = await openReport(cut("report-index"));
    expect(await page.getByRole("alert").innerText()).toContain("The file may have been cut off");
    expect(await page.locator("main").innerText()).toContain("2 failed");
    await page.close();
  });
});

describe("accessibility", () => {
  it("has no violation in any view, on any screen", async () => {
    // One page for all views, as for somebody who goes through them.
    const { page } = await open();
    const shownBy = {
      "": "[role=option]",
      [openFailing]: "#case-id",
      [`view=compare&${openFailing}`]: ".diff",
      "view=run": ".run .charts",
      "q=nothing": ".chip",
    };
    for (const [fragment, shown] of Object.entries(shownBy)) {
      await page.evaluate((to) => (location.hash = to), fragment);
      await page.locator(shown).first().waitFor();
      expect.soft(await findBarriers(page), fragment).toEqual([]);
    }
  });

  it.each(["?", "labels"])("has none in the dialog %s", async (which) => {
    const { page } = await open(openFailing);
    if (which === "?") await page.keyboard.press("?");
    else await page.getByRole("button", { name: "Labels" }).click();
    await page.getByRole("dialog").waitFor();
    expect(await findBarriersHere(page)).toEqual([]);
  });
});

import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { afterFile } from "../../packages/core/src/__fixtures__/clean-up.js";
import { makeProject } from "../../packages/core/src/__fixtures__/make-project.js";
import type { UploadDocument } from "../../packages/core/src/upload.js";
import { startBrowsedServer, type BrowsedServer } from "../../packages/server/src/__fixtures__/browsed-server.js";
import { sampleUpload } from "../../packages/server/src/__fixtures__/sample-upload.js";
import { findBarriers } from "../support/find-barriers.js";
import { openServerPage, type OpenServerPage, type ServerPageOptions } from "../support/open-server-page.js";
import { runCli } from "../support/run-cli.js";

const hostile = `</script><img src=x onerror="alert(1)"> javascript:alert(2) \u202E${"long ".repeat(2_000)}`;
const config = JSON.stringify({
  version: 1,
  project: "shop",
  models: [
    {
      id: "gpt",
      provider: "scripted",
      script: {
        rules: [
          {
            when: { user: { $contains: "refund" }, turn: 1 },
            reply: { tool_calls: [{ tool: "issue_refund", args: { order_id: "ORD-4", amount: 1 } }] },
          },
        ],
        otherwise: { text: hostile },
      },
    },
  ],
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
          assert: [{ type: "tool_called", tool: "issue_refund", args: { order_id: "ORD-4", amount: 1250 } }],
        },
        { name: "greets", input: "hello", assert: [{ type: "contains", value: "long" }] },
      ],
    },
  ],
});

let server: BrowsedServer;
let spoken = "";
const opened: OpenServerPage[] = [];
const largeCases = 10_000;

async function put(upload: UploadDocument): Promise<void> {
  const raw = gzipSync(JSON.stringify(upload));
  const headers = { "content-encoding": "gzip" };
  const { status, text } = await server.send(`/projects/shop/runs/${upload.run.run}`, { method: "PUT", raw, headers });
  if (status !== 201) throw new Error(text);
}

beforeAll(async () => {
  server = await startBrowsedServer({ accepts: "messages transcripts" });
  afterFile(() => server.close());
  const cwd = makeProject({ "kindlm.yaml": config });
  await runCli(["test"], { cwd });
  const upload = JSON.parse((await runCli(["upload", "--transcripts", "--dry-run"], { cwd })).stdout) as UploadDocument;
  spoken = upload.run.run;
  await put(upload);
  for (let count = 0; count < 6; count += 1) {
    const startedAt = new Date(Date.parse("2026-02-01T09:00:00Z") + count * 86_400_000).toISOString();
    const name = `<script>alert(1)</script> javascript:alert(2) \u202E ${"x".repeat(900)}`;
    const cases = [
      {
        name: "varies",
        status: count % 2 === 0 ? ("passed" as const) : ("failed" as const),
        agent: count < 3 ? "a" : "b",
      },
      { name, passes: 1 },
      ...(count > 3 ? [{ name: "added" }] : [{ name: "removed", status: "errored" as const }]),
    ];
    await put(sampleUpload({ run: `r${count}`, startedAt, branch: count === 5 ? `fix/${name}` : "main", cases }));
  }
  const cases = Array.from({ length: largeCases }, (_, at) => ({
    name: `case-${String(at).padStart(5, "0")}`,
    status: at % 10 === 0 ? ("failed" as const) : ("passed" as const),
  }));
  await put(sampleUpload({ run: "large", startedAt: "2026-01-15T10:00:00Z", branch: "large", cases }));
}, 60_000);

/** Whatever a test does, the page breaks no rule of its policy, has no error, and asks its server alone. */
afterEach(async () => {
  for (const { page, requests, violations, errors } of opened.splice(0)) {
    expect({ violations: await violations(), errors }).toEqual({ violations: [], errors: [] });
    expect(requests.filter((path) => !path.startsWith("/"))).toEqual([]);
    await page.context().close();
  }
});

async function open(path: string, options: ServerPageOptions = {}): Promise<OpenServerPage> {
  const shown = await openServerPage(server, path, options);
  opened.push(shown);
  return shown;
}

const runPath = (run: string, fragment = ""): string => `/p/shop/runs/${run}${fragment}`;
const openCase = (id: string): string => `#case=${encodeURIComponent(id)}`;
const reads = ({ requests }: OpenServerPage): readonly string[] => requests.filter((path) => path.includes("/report"));

describe("pages of results", () => {
  it("are readable by everybody", async () => {
    const { page, violations } = await open("/p/shop/compare");
    const paths = [
      runPath(spoken, openCase("refunds/full-refund@gpt")),
      "/p/shop/trends",
      "/p/shop/trends?suite=refunds",
      `/p/shop/trends?case=${encodeURIComponent("refunds/varies@gpt")}`,
      "/p/shop/flaky?days=365",
      `/p/shop/compare?by=branch&before=main&after=${encodeURIComponent(await unusualBranch(page))}`,
    ];
    for (const path of paths) {
      await page.goto(`${server.origin}${path}`);
      // On a phone, the opened case is in the place of the list.
      if (path.startsWith("/p/shop/runs/")) await page.locator("#case-id").waitFor();
      expect.soft([...(await findBarriers(page)), ...(await violations())], path).toEqual([]);
      expect(await page.locator("img, main script").count()).toBe(0);
    }
  });

  it("work without scripts, but for the list of cases, which says so", async () => {
    const { page } = await open("/p/shop/trends", { javaScriptEnabled: false }).finally(() => opened.splice(0));
    await page.getByRole("link", { name: "refunds" }).click();
    await page.getByRole("link", { name: "2026-02-05 09:00 UTC" }).first().click();
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("Run r4");
    await page.getByText("They need a script").waitFor();
    await page.getByText("Compare with the run before on this branch").click();
    await page
      .getByRole("heading", { name: /newly failing|fixed/ })
      .first()
      .waitFor();
    await page.getByRole("combobox", { name: "After" }).selectOption("large");
    await page.getByRole("form", { name: "Compare branches" }).getByRole("button").click();
    await page.getByText(/The runs have no case in common/).waitFor();
    await page.context().close();
  });
});

/** The branch with a hostile name, as the form for comparing offers it. */
async function unusualBranch(page: Page): Promise<string> {
  const values = await page
    .getByRole("combobox", { name: "After" })
    .locator("option")
    .evaluateAll((all) => all.map((one) => one.getAttribute("value") ?? ""));
  return values.find((value) => value.startsWith("fix/")) ?? "";
}

describe("the cases of a run", () => {
  it("have their conversations, which come when a case opens, as text", async () => {
    const shown = await open(runPath(spoken));
    const { page } = shown;
    await page.getByRole("article", { name: "Overview" }).waitFor();
    expect(reads(shown)).toEqual([`${runPath(spoken)}/report`]);
    expect(await page.getByRole("article", { name: "Overview" }).innerText()).toContain(
      "issue_refund is called with the wrong amount",
    );
    await page.getByRole("option", { name: /full-refund/ }).click();
    const transcript = page.getByRole("region", { name: "Transcript" });
    expect(await transcript.locator(".rejected").innerText()).toMatch(/amount\s+1 expected 1250/);
    expect(await transcript.innerText()).toContain('</script><img src=x onerror="alert(1)"> javascript:alert(2)');
    expect(await page.locator("img").count()).toBe(0);
    expect(reads(shown)).toHaveLength(2);
    await page.keyboard.press("2");
    await expect.poll(() => new URL(page.url()).hash).toContain("trial=2");
    expect(reads(shown)).toHaveLength(2);
    await page.getByRole("searchbox", { name: "Filter cases by words" }).fill("greets");
    await expect.poll(() => page.getByRole("option").count()).toBe(1);
    await page.keyboard.press("Escape");
    await page.reload();
    await page.locator("#case-id").waitFor();
    expect(await page.locator("#case-id").innerText()).toContain("refunds/full-refund@gpt");
  });

  it("have measurements for who may not read more, and for runs without more, and say why", async () => {
    const { page } = await open(runPath(spoken, openCase("refunds/full-refund@gpt")), { role: "viewer" });
    await page.getByText("Your role shows measurements only").waitFor();
    expect(await page.locator("#trial").innerText()).toContain("tool_called");
    expect(await page.locator("body").innerText()).not.toContain("ORD-4");
    const { page: other } = await open(runPath("r5", openCase("refunds/varies@gpt")));
    await other.locator("#case-id").waitFor();
    expect(await other.getByRole("article", { name: "Overview" }).count()).toBe(0);
  });

  it("scroll smoothly however many they are: 10,000", async () => {
    const shown = await open(runPath("large"));
    const { page } = shown;
    const list = page.getByRole("listbox", { name: "Cases" });
    const rows = list.getByRole("option");
    await rows.first().waitFor();
    expect(await page.getByText("10,000 cases", { exact: true }).count()).toBe(1);
    const seen = new Set<string>();
    for (const share of [0, 0.5, 1]) {
      await list.evaluate((element, at) => element.scrollTo(0, at * element.scrollHeight), share);
      await expect.poll(async () => seen.has(await rows.nth(8).innerText())).toBe(false);
      seen.add(await rows.nth(8).innerText());
      expect(await rows.count()).toBeLessThan(80);
    }
    await page.getByRole("button", { name: "1,000 failed" }).click();
    await expect.poll(() => page.getByText("1,000 of 10,000 cases").count()).toBe(1);
    expect(reads(shown)).toHaveLength(1);
  });

  it("say what is wrong if the server does not give them", async () => {
    const shown = await openServerPage(server, runPath(spoken));
    const { page } = shown;
    await page.getByRole("listbox", { name: "Cases" }).waitFor();
    await page.context().clearCookies();
    await page.getByRole("option", { name: /full-refund/ }).click();
    await page.getByText("You are no longer signed in. Reload the page.").waitFor();
    await page.context().close();
  });
});

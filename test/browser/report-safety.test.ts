import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { afterFile } from "../../packages/core/src/__fixtures__/clean-up.js";
import { makeProject } from "../../packages/core/src/__fixtures__/make-project.js";
import { hostileText } from "../../bench/large-run-conversation.js";
import { findBarriersHere } from "../support/find-barriers.js";
import { openBrowser, openReport } from "../support/open-browser.js";
import { runCli } from "../support/run-cli.js";

const config = {
  version: 1,
  project: `</title>${hostileText}`,
  models: [
    { id: "gpt", provider: "scripted", script: { otherwise: { text: `Answer: ${hostileText}` } } },
    { id: "bad", provider: "scripted", script: { otherwise: { error: { status: 400, body: hostileText } } } },
  ],
  circuit_breaker: false,
  suites: [
    {
      name: "hostile",
      tests: [
        { name: "answers", input: hostileText, assert: [{ type: "equals", value: `not ${hostileText}` }] },
        { name: "passes", input: "hello", assert: [{ type: "contains", value: "Answer" }] },
      ],
    },
  ],
};

let file = "";
beforeAll(async () => {
  const cwd = makeProject({ "kindlm.yaml": JSON.stringify(config) });
  await runCli(["test", "--reporter", "html=report.html"], { cwd });
  file = join(cwd, "report.html");
});

describe("untrusted text", () => {
  it("is shown as text, asks for nothing, and is against no policy", async () => {
    const { page, requests, violations, errors } = await openReport(file, {
      fragment: "view=cases&case=hostile%2Fanswers%40gpt",
    });
    const answer = page.getByRole("listitem").getByText(/^Answer: <\/script><img src=x onerror=/);
    await answer.waitFor();
    expect(await answer.innerText()).toContain(String.raw`␛[31mred␛[0m \u202etxet\u202c ␀`);
    expect(await page.locator("img, iframe, a[href^='javascript:']").count()).toBe(0);
    expect(await page.title()).toContain("</title></script><img src=x");
    expect({ requests, violations: await violations(), errors }).toEqual({ requests: [], violations: [], errors: [] });
  });
});

describe("a server that allows no scripts and no styles, as Jenkins does", () => {
  it("shows the counters and the cases that did not pass", async () => {
    const policy = "sandbox allow-same-origin; default-src 'none'; img-src 'self'; style-src 'self'";
    const server = createServer((_, response) => {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8", "content-security-policy": policy });
      response.end(readFileSync(file));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    afterFile(() => new Promise<void>((resolve) => server.close(() => resolve())));
    const browser = await openBrowser();
    const page = await browser.newPage({ bypassCSP: false });
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const text = await page.locator("main").innerText();
    expect(text).toContain("1 passed, 1 failed, 2 errored, 0 skipped");
    expect(text).toContain("hostile/answers@gpt · failed");
    expect(text).toContain("needs scripts");
  });

  it("does the same where scripts are switched off", async () => {
    const { page } = await openReport(file, { javaScriptEnabled: false });
    expect(await page.locator("main").innerText()).toContain("1 passed, 1 failed, 2 errored, 0 skipped");
  });

  it("has no accessibility violation in what it shows", async () => {
    const bare = join(dirname(file), "bare.html");
    writeFileSync(bare, readFileSync(file, "utf8").replace(/<script>[^]*<\/script>/, ""));
    const { page } = await openReport(bare);
    expect(await findBarriersHere(page)).toEqual([]);
  });
});

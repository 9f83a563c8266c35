import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { makeProject } from "../../packages/core/src/__fixtures__/make-project.js";
import { findBarriers } from "../support/find-barriers.js";
import { openReport } from "../support/open-browser.js";
import { runCli } from "../support/run-cli.js";

const longest = "a-product-with-a-name-that-has-no-end-".repeat(6);
/** An agent delegates to a researcher, who delegates to a checker, who makes the call that is wrong. */
const config = `version: 1
models:
  - id: m
    provider: scripted
    script:
      rules:
        - { when: { system: { $contains: You check }, turn: 1 }, reply: { tool_calls: [{ tool: look, args: { product: ${longest}, currency: EUR } }] } }
        - { when: { system: { $contains: You check } }, reply: { text: It costs 129 euros. } }
        - { when: { system: { $contains: You research }, turn: 1 }, reply: { tool_calls: [{ tool: task_run, args: { description: Check, prompt: Check the price, agentTemplateId: checker } }] } }
        - { when: { system: { $contains: You research } }, reply: { text: <img src=x> 129 and 139. } }
        - { when: { turn: 1 }, reply: { tool_calls: [{ tool: task_run, args: { description: Research, prompt: Find prices, agentTemplateId: researcher } }] } }
      otherwise: { text: Charge 139. }
suites:
  - name: s
    models: [m]
    tools: [task_run, { name: look, parameters: { product: string, currency: string }, default: { return: 129 } }]
    agents:
      - { id: researcher, system: You research., when_to_use: Facts are needed, tools: [task_run] }
      - { id: checker, system: You check., when_to_use: A price is checked, tools: [look] }
    tests: [{ name: t, input: What to charge?, assert: [{ type: tool_called, tool: look, args: { currency: USD } }] }]
`;

let file = "";
beforeAll(async () => {
  const cwd = makeProject({ "kindlm.yaml": config });
  await runCli(["test", "--reporter", "html=report.html"], { cwd });
  file = join(cwd, "report.html");
});

it("indents the conversations of sub-agents below their calls, as text, readable by everybody", async () => {
  const { page, requests, violations, errors } = await openReport(file, { fragment: "case=s%2Ft%40m" });
  const rows = page.locator(".transcript > li");
  const said = ["What to charge?", "sub-agent researcher", "sub-agent checker", "costs 129 euros", "Charge 139."];
  await rows.filter({ hasText: "sub-agent checker on m" }).waitFor();
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    const places = await Promise.all(said.map((text) => rows.filter({ hasText: text }).first().boundingBox()));
    const [user, researcher, checker, answer, last] = places.map((box) => box?.x ?? Number.NaN);
    expect([last, answer]).toEqual([user, checker]);
    const step = (researcher ?? 0) - (user ?? 0);
    expect(step).toBeGreaterThanOrEqual(10);
    expect((checker ?? 0) - (researcher ?? 0)).toBeCloseTo(step, 0);
    // Nothing is cut off at the right, however long a word is.
    const rights = await page
      .locator(".transcript > li, .transcript dd, .transcript p, .transcript .aside")
      .evaluateAll((elements) => elements.map((one) => one.getBoundingClientRect().right));
    expect(rights.filter((right) => right > width)).toEqual([]);
  }
  expect(await rows.filter({ hasText: "It costs 129 euros." }).first().innerText()).toContain(
    "Sub-agent researcher, checker:",
  );
  expect(await rows.filter({ hasText: "<img src=x> 129 and 139." }).count()).toBeGreaterThan(0);
  const marked = page.locator(".transcript .rejected");
  expect(await marked.innerText()).toContain('expected "USD"');
  await marked.scrollIntoViewIfNeeded();
  expect(await findBarriers(page)).toEqual([]);
  expect({ requests, violations: await violations(), errors }).toEqual({ requests: [], violations: [], errors: [] });
  await page.close();
});

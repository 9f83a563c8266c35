import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { targetKinds } from "../packages/core/src/targets/registry.js";
import { faultKinds } from "../packages/core/src/transcript/fired-fault.js";
import { deadAnchors } from "../site/dead-anchors.js";
import { addressOf, isOnSite, readList, sectionsOf } from "../site/.vitepress/pages.js";
import { readPage } from "./support/docs/pages.js";
import { repository } from "./support/run-cli.js";

const docs = join(repository, "docs");
const pages = readdirSync(docs, { recursive: true, encoding: "utf8" })
  .map((name) => name.replaceAll("\\", "/"))
  .filter((name) => isOnSite(name) && name !== "README.md");
const sections = sectionsOf(readList(`file://${docs}/`));
const listed = sections.flatMap(({ items }) =>
  items.flatMap((item) => [item.path, ...item.items.map(({ path }) => path)]),
);

it("lists each page once in docs/README.md, from which the sidebar of the site is made", () => {
  expect(pages.length).toBeGreaterThan(50);
  expect(listed.toSorted()).toEqual(pages.toSorted());
});

it("has the sections of the sidebar, in the order of a reader", () => {
  expect(sections.map(({ text }) => text)).toEqual([
    "Start",
    "Write tests",
    "Tools and failures",
    "Built-in tools",
    "Your agent",
    "Read results",
    "Run",
    "Share results",
    "Extend",
    "Concepts",
    "Providers",
    "Reference",
    "Contribute",
  ]);
});

it("finds headings that links of the built site name, and that are not there", () => {
  const built = new Map([
    ["gates.html", '<h2 id="choose-a-gate">…</h2> <a href="#choose-a-gate">…</a> <a href="#planted">…</a>'],
    [
      "index.html",
      '<a class="x" href="/docs/gates#choose-a-gate">…</a> <a href="/docs/gates#dead">…</a> <a href="/docs/none#x">…</a>',
    ],
    ["providers/index.html", '<a href="/docs/#dead">…</a> <a href="https://x.test/#far">…</a>'],
  ]);
  expect(deadAnchors(built)).toEqual([
    "gates.html: #planted leads nowhere",
    "index.html: /docs/gates#dead leads nowhere",
    "index.html: /docs/none#x leads nowhere",
    "providers/index.html: /docs/#dead leads nowhere",
  ]);
});

it("gives each page its own address", () => {
  const addresses = pages.map(addressOf);
  expect(addresses).toEqual([...new Set(addresses)]);
});

it("has a section in the reference for each kind of fault, target and tool, by its name", () => {
  const headings = [...readPage("docs/reference/config.md").matchAll(/^## (.*)$/gm)].map(([, heading = ""]) => heading);
  const named = [
    ...faultKinds.map((kind) => `Fault: \`${kind}\``),
    ...targetKinds.map((kind) => `Target: \`${kind}\``),
    "Tool: simulated",
    ...["module", "command", "http", "builtin"].map((kind) => `Tool: \`${kind}\``),
  ];
  expect(headings.filter((heading) => /^(?:Fault|Target|Tool): /.test(heading)).toSorted()).toEqual(named.toSorted());
  expect(headings.filter((heading) => / \(\d\)/.test(heading))).toEqual([]);
});

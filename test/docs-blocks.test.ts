import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { parseYaml } from "../packages/core/src/__fixtures__/parse-yaml.js";
import { mentionedIn, problemOf, typedIn } from "./support/docs/commands.js";
import { excerpts, placeInConfig } from "./support/docs/place-in-config.js";
import { blocksOf, pages, readPage, type Block } from "./support/docs/pages.js";
import { runCli } from "./support/run-cli.js";

/** Pages whose config another test runs. */
const elsewhere: Readonly<Record<string, string>> = { "docs/extensions.md": "test/extension-example.test.ts" };

/** Files that pages name and do not show. */
const unshown = {
  "after.yaml": "otherwise: { text: Done }",
  "before.yaml": "otherwise: { text: Done }",
  "checks.ts": "",
  "checks/polite.py": "",
  "plugins/alert.ts": "export default { name: 'alert', runEnded() {} };\n",
  "plugins/error-stats.ts": "export default { name: 'stats', runEnded() {} };\n",
  "plugins/guards.ts": "export const forbidDeleting = { name: 'guard', preToolUse() {} };\n",
  "scripts/order-agent.yaml": "otherwise: { text: Done }",
  ".skills/csv/SKILL.md": "---\nname: csv\ndescription: Write CSV files\n---\nUse semicolons.\n",
  "tools.ts": "",
};

/** Files of other programs, which are only parsed. */
const foreign = ["azure", "github", "gitlab", "kubernetes"];

const blocks = pages.map(blocksOf);
const yaml = blocks.flat().filter(({ language }) => /^ya?ml$/.test(language));

it("says of each block of YAML what it is", () => {
  const isKnown = ({ attributes }: Block): boolean =>
    "file" in attributes || foreign.includes(attributes["of"] ?? "") || Object.hasOwn(excerpts, attributes["in"] ?? "");
  expect(yaml.length).toBeGreaterThan(100);
  expect(
    yaml.filter((block) => !isKnown(block)).map(({ place }) => place),
    `Write \`\`\`yaml file=<name> for a whole file, of=<${foreign.join("|")}> for a file of another program, or ` +
      `in=<${Object.keys(excerpts).join("|")}> for a part of a config`,
  ).toEqual([]);
});

it("parses each block of YAML and JSON", () => {
  for (const { text, place } of yaml) expect(parseYaml(text), place).toBeTypeOf("object");
  for (const { text, place, language } of blocks.flat()) {
    const values = language === "json" ? [text] : language === "jsonl" ? text.trim().split("\n") : [];
    for (const value of values) expect(() => JSON.parse(value) as unknown, place).not.toThrow();
  }
});

/** The config of a block, and null for a block that is none. */
function configOf(block: Block, above: readonly Block[]): string | null {
  const { attributes, text, page } = block;
  if (!yaml.includes(block) || "of" in attributes || Object.hasOwn(elsewhere, page)) return null;
  if (!("file" in attributes)) return JSON.stringify(placeInConfig(block, above));
  if (/^version:/m.test(text)) return text;
  expect(text, `${block.place} is neither a config nor a script`).toMatch(/^(?:rules|otherwise):/m);
  return JSON.stringify(placeInConfig({ ...block, attributes: { in: "script" } }, above));
}

interface Example {
  /** Tells which block it is. */
  name: string;
  isWhole: boolean;
  config: string;
}

function examplesOf(page: readonly Block[]): readonly Example[] {
  return page.flatMap((block, index) => {
    const config = configOf(block, page.slice(0, index));
    const name = `${block.place.replaceAll(/\W/g, "-")}.yaml`;
    return config === null ? [] : [{ name, isWhole: "file" in block.attributes, config }];
  });
}

async function expectValid(examples: readonly Example[], cwd: string): Promise<void> {
  const written = examples.map(({ config }) => config).join("\n");
  const variables = [...written.matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => [name, "http://example.test"]);
  for (const { name, config } of examples) writeFileSync(join(cwd, name), config);
  const names = examples.map(({ name }) => name);
  const { stderr, code } = await runCli(["validate", ...names], { cwd, env: Object.fromEntries(variables) });
  // An excerpt has not all of the tools that a pattern could match, which is a warning.
  const isStrict = code !== 0 || examples.some(({ isWhole }) => isWhole);
  expect([code, isStrict ? stderr : ""], written).toEqual([0, ""]);
}

it("has no example that is not valid", async () => {
  let count = 0;
  for (const page of blocks) {
    const examples = examplesOf(page);
    if (examples.length === 0) continue;
    const shown = page.filter(({ attributes, language }) => "file" in attributes && language !== "diff");
    const files = Object.fromEntries(shown.map(({ attributes, text }) => [attributes["file"] ?? "", text]));
    const cwd = makeProject({ ...unshown, ...files });
    count += examples.length;
    for (const example of examples.filter(({ isWhole }) => isWhole)) await expectValid([example], cwd);
    // The excerpts of a page at once, since most of the time goes into starting a command.
    const parts = examples.filter(({ isWhole }) => !isWhole);
    if (parts.length > 0) await expectValid(parts, cwd);
  }
  expect(count).toBeGreaterThan(100);
});

it("has the reader type commands that exist", async () => {
  const typed = blocks.flat().flatMap((block) => typedIn(block).map((words) => ({ place: block.place, words })));
  const mentioned = pages.flatMap((place) => mentionedIn(readPage(place)).map((words) => ({ place, words })));
  expect([typed.length > 100, mentioned.length > 100]).toEqual([true, true]);
  // Many a command is on many pages.
  const asked = new Map<string, ReturnType<typeof problemOf>>();
  const ask = (words: readonly string[]): ReturnType<typeof problemOf> => {
    const key = JSON.stringify(words);
    const problem = asked.get(key) ?? problemOf(words);
    asked.set(key, problem);
    return problem;
  };
  const problems = await Promise.all(
    [...typed, ...mentioned].map(async ({ words, place }) => [place, words.join(" "), await ask(words)]),
  );
  // A sentence leaves the arguments of a command out.
  const isMentioned = (problem: string): boolean => problem.startsWith("Missing required argument");
  expect(problems.filter(([, , problem = null]) => problem !== null && !isMentioned(problem))).toEqual([]);
});

it.each(pages.filter((page) => /^docs\/providers\/(?!README|scripted)/.test(page)))("%s tells what all do", (page) => {
  const wanted = ["Settings", "Params", "Messages", "Finish reasons", "Usage and costs", "Streaming", "Errors"];
  const headings = [...readPage(page).matchAll(/^## (.*)$/gm)].map(([, heading = ""]) => heading);
  expect(headings.filter((heading) => wanted.includes(heading))).toEqual(wanted);
});

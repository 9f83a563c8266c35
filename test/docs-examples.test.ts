import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { parseYaml } from "../packages/core/src/__fixtures__/parse-yaml.js";
import { repository, runCli } from "./support/run-cli.js";

interface Example {
  /** Page and line, such as `docs/pricing.md:12`. */
  place: string;
  yaml: string;
  keys: readonly string[];
  /** The first `providers:` of the page before this example; later examples of a page go on from it. */
  providers: string;
}

const pages = [
  "README.md",
  ...readdirSync(join(repository, "docs"), { recursive: true, encoding: "utf8" }).map((name) => `docs/${name}`),
].filter((name) => name.endsWith(".md"));

const examples = pages.flatMap((page): readonly Example[] => {
  const text = readFileSync(join(repository, page), "utf8");
  let providers = "";
  return [...text.matchAll(/```yaml\n([^]*?)```/g)].map(({ index, 1: yaml = "" }) => {
    const keys = [...yaml.matchAll(/^(\w+):/gm)].map(([, key = ""]) => key);
    const example = { place: `${page}:${text.slice(0, index).split("\n").length + 1}`, yaml, keys, providers };
    providers ||= /^providers:\n(?: .*\n)+/m.exec(yaml)?.[0] ?? "";
    return example;
  });
});

const indented = (text: string, by: number): string => text.replaceAll(/^(?=.)/gm, " ".repeat(by));

const names = ["lookup_order", "cancel_order", "issue_refund", "read_file", "search_files", "charge_card"].concat(
  // Assertions on them need them.
  "fs_write",
  "skills",
  "task_run",
  "todo_write",
);
const tools = `tools:\n${names.map((name) => `  - { name: ${name}, default: { return: ok } }\n`).join("")}`;

/** For assertions about how the conversation with one ended. */
const simulatedUser = "        simulated_user: { goal: g, model: openai:gpt-4.1 }\n";

/** Something of a suite or a test, in a whole config. */
function suiteOf(place: string, { suite = tools, assert = "  - { type: contains, value: x }\n" } = {}): string {
  return `suites:
  - name: ${JSON.stringify(place)}
${indented(suite, 4)}    tests:
      - name: t
        input: "Hi {{row.customer}}"
${assert.includes("conversation_ended") ? simulatedUser : ""}        rows: [{ customer: c-1 }]
        assert:
${indented(assert, 8)}`;
}

/** The config that an example stands for; null for one that is no part of a config, or of a script. */
function configOf({ place, yaml, keys, providers }: Example): string | null {
  const model = "version: 1\nmodels: [{ id: m, provider: openai, model: gpt-4.1-mini }]\n";
  const [first] = keys;
  // What asks a judge has one.
  const judged = `${model}defaults: { judge: openai:gpt-4.1 }\n`;
  if (yaml.startsWith("- { type: ")) return judged + suiteOf(place, { assert: yaml });
  switch (first) {
    case "version":
      return yaml;
    case "assert":
      return judged + suiteOf(place, { assert: yaml.replace("assert:\n", "") });
    case "params":
      return `version: 1\nmodels:\n  - id: m\n    provider: openai\n    model: m\n${indented(yaml, 4)}${suiteOf(place)}`;
    case "args":
      return model + suiteOf(place, { assert: `- type: tool_called\n  tool: lookup_order\n${indented(yaml, 2)}` });
    case "conversation":
      return `${model}suites:\n  - name: ${JSON.stringify(place)}\n${indented(`${tools}tests:\n  - name: t\n${indented(yaml, 4)}`, 4)}`;
    case "tools":
      return model + suiteOf(place, { suite: yaml });
    case "suites":
      return model + yaml;
    case "target":
      // The variables that the environment would hold.
      return model + suiteOf(place, { suite: yaml.replace("${AGENT_URL}", "http://x").replace("${AGENT_TOKEN}", "x") });
    case "recommendations":
    case "permissions":
      return model + suiteOf(place, { suite: yaml + tools });
    case "defaults":
    case "gates":
    case "keep_runs":
    case "upload":
    case "watch":
      return model + yaml + suiteOf(place);
    case "plugins":
      return model + yaml.replace("${ALERT_WEBHOOK}", "http://x") + suiteOf(place);
    case "rules":
      return `version: 1\nmodels:\n  - id: m\n    provider: scripted\n    script:\n${indented(yaml, 6)}${suiteOf(place)}`;
    case "models":
      return `version: 1\n${keys.includes("providers") ? "" : providers}${yaml}${suiteOf(place)}`;
    case "providers":
    case "retry": {
      const named = [...yaml.matchAll(/^ {2}([\w-]+):/gm)].map(([, name = ""]) => name);
      const models = named.map((name) => `  - { id: ${name}, provider: ${name}, model: m }\n`).join("");
      return `version: 1\n${yaml}${keys.includes("models") ? "" : `models:\n${models}`}${suiteOf(place)}`;
    }
    default:
      return null;
  }
}

it("has no example in the documentation that is not valid", async () => {
  // Other tests run the examples of these pages: test/recovery.test.ts and test/extension-example.test.ts.
  const own = examples.filter(({ place }) => !/^docs\/(recovery|extensions)\.md/.test(place));
  const configs = own.flatMap((example) => {
    const config = configOf(example);
    return config === null ? [] : [[`${example.place.replaceAll("/", "-")}.yaml`, config] as const];
  });
  const others = own.filter((example) => configOf(example) === null).map(({ keys }) => keys.join());
  // A reply of a script, which another test puts where it belongs, workflows of GitHub, jobs of GitLab, Azure DevOps and
  // Kubernetes.
  expect(others).toEqual([
    "",
    "name,on,permissions,jobs",
    "jobs",
    "kindlm",
    "trigger,pool,steps",
    "jobs",
    "test,merge",
    "apiVersion,kind,metadata,spec",
    "jobs",
    "jobs",
  ]);
  for (const { place, yaml } of own) expect(parseYaml(yaml), place).toBeTypeOf("object");
  const help = (await runCli(["test", "--help"], { cwd: repository })).stdout;
  const commands = own.flatMap(({ yaml }) => [...yaml.matchAll(/npx kindlm test(.*(?:\n +--reporter .*)*)/g)]);
  const options = commands.flatMap(([, rest = ""]) => rest.match(/--[\w-]+|(?<=--reporter )[\w-]+/g) ?? []);
  expect(options.length).toBeGreaterThan(8);
  expect(options.filter((option) => !help.includes(option))).toEqual([]);
  const script = readFileSync(join(repository, "docs/offline.md"), "utf8").match(
    /```yaml\n# scripts\/[^\n]*\n([^]*?)```/,
  );
  const cwd = makeProject({
    ...Object.fromEntries(configs),
    "scripts/order-agent.yaml": script?.[1] ?? "",
    "checks.ts": "export const isPolite = () => true;\n",
    "checks/polite.py": "",
    ".skills/csv/SKILL.md": "---\nname: csv\ndescription: Write CSV files\n---\nUse semicolons.\n",
    "tools.ts": "",
    "plugins/alert.ts": "export default { name: 'alert', runEnded() {} };\n",
    "plugins/guards.ts": "export const forbidDeleting = { name: 'guard', preToolUse() {} };\n",
    "plugins/error-stats.ts": "export default { name: 'stats', runEnded() {} };\n",
  });
  const { stdout, stderr, code } = await runCli(["validate", "--json", ...configs.map(([name]) => name)], { cwd });
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  expect(JSON.parse(stdout)).toMatchObject({ valid: true });
});

it.each(pages.filter((page) => /^docs\/providers\/(?!README|scripted)/.test(page)))("%s tells what all do", (page) => {
  const text = readFileSync(join(repository, page), "utf8");
  const wanted = ["Settings", "Params", "Messages", "Finish reasons", "Usage and costs", "Streaming", "Errors"];
  const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, heading = ""]) => heading);
  expect(headings.filter((heading) => wanted.includes(heading))).toEqual(wanted);
});

import { CheckFile } from "./check-file.js";
import { convertPrompts, type ConvertedPrompt } from "./convert-prompts.js";
import { convertProvider, convertProviders, type ConvertedAgents } from "./convert-providers.js";
import { convertTest, writeTest, type ConvertedTest } from "./convert-tests.js";
import { Findings, type ImportFinding } from "./findings.js";
import { Names } from "./names.js";
import type { SourceFolder } from "./source/source-folder.js";
import { numberOf, plainNode, stringOf, type SourceNode } from "./source/source-node.js";
import { testSources } from "./test-sources.js";
import { noted, writeYaml } from "./written/write-yaml.js";

/** The files of a project of KindLM, and what a person has to look at. */
export interface ConvertedConfig {
  /** By their names, the config first. */
  files: Readonly<Record<string, string>>;
  tests: number;
  findings: readonly ImportFinding[];
}

/** Of the top level, with what to do instead. The rest is converted, or says nothing about tests. */
const withoutCounterpart: Readonly<Record<string, string>> = {
  scenarios: "write its tests out",
  redteam: "see prompt injection in the documentation",
  derivedMetrics: "use weight and threshold",
  nunjucksFilters: "put finished values into vars",
  extensions: "use plugins",
  env: "set variables in the environment or in .env",
  outputPath: "name a report with --reporter",
  sharing: "upload runs to a results server",
  tracing: "use traces of a target",
  commandLineOptions: "write options on the command line",
};

const silent = new Set(
  `$schema description prompts providers targets tests defaultTest evaluateOptions tags metadata writeLatestResults
  assertionTemplates`.split(/\s+/),
);

export async function convertConfig(root: SourceNode, folder: SourceFolder): Promise<ConvertedConfig> {
  const findings = new Findings();
  const checks = new CheckFile();
  const header = headerOf(root, findings);
  const agents = convertProviders(root.get("providers") ?? root.get("targets"), { findings, names: new Names() });
  const prompts = await convertPrompts(root.get("prompts"), { findings, folder, names: new Names() });
  const [defaults, templates] = [root.get("defaultTest"), root.get("assertionTemplates")];
  const sources = await testSources(root.get("tests"), { findings, folder });
  const nodes = sources.length > 0 ? sources : [plainNode({}, root.file, root.line)];
  const tests: [SourceNode, ConvertedTest][] = [];
  for (const [index, node] of nodes.entries()) {
    tests.push([node, await convertTest(node, index, { findings, folder, checks, defaults, templates })]);
  }
  const suites = suitesOf(agents, prompts, tests, { findings, root });
  const judge = judgeOf(root, agents, suites, findings);
  const config = {
    version: 1,
    ...(Object.keys(agents.providers).length > 0 ? { providers: agents.providers } : {}),
    ...(agents.models.length > 0 ? { models: agents.models } : {}),
    ...defaultsOf(root, agents, { judge, needsEmbedder: asks(suites, '"method":"embedding"') }),
    suites,
  };
  const code = checks.text();
  return {
    files: { "kindlm.yaml": writeYaml(config, header), ...(code === null ? {} : { [checks.name]: code }) },
    tests: tests.length,
    findings: findings.all(),
  };
}

function headerOf(root: SourceNode, findings: Findings): readonly string[] {
  const description = stringOf(root.get("description"));
  const left = root.entries().flatMap(([key, node]) => {
    if (silent.has(key)) return [];
    return findings.add(node, `"${key}" was left out: ${withoutCounterpart[key] ?? "KindLM has nothing like it"}`);
  });
  return [
    "yaml-language-server: $schema=./node_modules/@kindlm/cli/schema.json",
    ...(description === null ? [] : description.split("\n")),
    `Imported from ${root.file} of promptfoo.`,
    ...left,
  ];
}

function defaultsOf(
  root: SourceNode,
  { modelIds, targets }: ConvertedAgents,
  { judge, needsEmbedder }: { judge: string | null; needsEmbedder: boolean },
) {
  const options = root.get("evaluateOptions");
  const runs = numberOf(options?.get("repeat") ?? null);
  const concurrency = numberOf(options?.get("maxConcurrency") ?? null);
  const defaults = {
    ...(modelIds.length > 0 && targets.length === 0 ? { models: [...modelIds] } : {}),
    ...(judge === null ? {} : { judge }),
    ...(needsEmbedder ? { embedder: "openai:text-embedding-3-small" } : {}),
    ...(runs === null || runs < 2 ? {} : { runs }),
    ...(concurrency === null || concurrency < 1 ? {} : { concurrency }),
  };
  return Object.keys(defaults).length === 0 ? {} : { defaults };
}

/** A suite for each prompt, and for each agent other than a model. */
function suitesOf(
  agents: ConvertedAgents,
  prompts: readonly ConvertedPrompt[],
  tests: readonly (readonly [SourceNode, ConvertedTest])[],
  { findings, root }: { findings: Findings; root: SourceNode },
): unknown[] {
  if (prompts.length === 0) findings.add(root, "there is no prompt: the input of each test is a sample");
  const fallback: ConvertedPrompt = { name: "prompt", comments: [], system: null, said: { input: "Hello" } };
  if (agents.modelIds.length === 0 && agents.targets.length === 0) {
    const comment = findings.add(root, "there is no provider: name a model");
    agents.modelIds.push("model");
    const script = { otherwise: { error: { status: 501, body: "Replace the model" } } };
    agents.models.push(noted({ id: "model", provider: "scripted", script }, [comment]));
  }
  const suiteNames = new Names();
  const ofModels = agents.modelIds.length > 0 ? [{ name: null, keys: modelsOf(agents), comments: [] }] : [];
  const ofTargets = agents.targets.map(({ name, target, comments }) => ({ name, keys: { target }, comments }));
  return [...ofModels, ...ofTargets].flatMap(({ name, keys, comments }) =>
    (prompts.length === 0 ? [fallback] : prompts).map((prompt) => {
      const names = new Names();
      const { system, said } = prompt;
      const written = tests.map(([node, test]) => writeTest(test, said, { names, findings, node, system }));
      const suite = {
        name: suiteNames.unique(name === null ? prompt.name : `${name}-${prompt.name}`),
        ...keys,
        ...(system === null ? {} : { system_prompt: system }),
        tests: written,
      };
      return noted(suite, [...prompt.comments, ...comments]);
    }),
  );
}

function modelsOf({ modelIds, targets, tools }: ConvertedAgents) {
  const models = targets.length > 0 ? { models: [...modelIds] } : {};
  return { ...models, ...(tools.length > 0 ? { tools } : {}) };
}

const asks = (suites: readonly unknown[], part: string): boolean => JSON.stringify(suites).includes(part);

/** The model that judges, where any assertion needs one. */
function judgeOf(
  root: SourceNode,
  agents: ConvertedAgents,
  suites: readonly unknown[],
  findings: Findings,
): string | null {
  if (!asks(suites, '"type":"judge"')) return null;
  const written = root.get("defaultTest")?.get("options")?.get("provider") ?? null;
  const chosen = written?.get("text") ?? written;
  if (chosen === null) return "openai:gpt-4.1-mini";
  const before = agents.modelIds.length;
  const id = convertProvider(chosen, agents, { findings, names: { unique: () => "judge" } });
  agents.modelIds.length = before;
  return id ?? "openai:gpt-4.1-mini";
}

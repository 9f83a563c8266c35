import { didYouMean } from "@kindlm/core/program";
import { existsSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { quoteArgument } from "../../arguments/quote-argument.js";
import type { CliEnvironment } from "../../environment.js";
import { UsageError } from "../../errors/usage-error.js";
import type { InvocationOf } from "../command-definition.js";
import type { initCommand } from "./command.js";
import { listPackageFiles, readPackageFile } from "../../package-files.js";
import { examples } from "./examples.js";
import { createFiles, createIfMissing } from "../../sinks/create-files.js";
import { addLines, addScript, copyExample, fix } from "./project-files.js";
import { realModels, templates, type RealModel, type Template } from "./templates.js";

/** What a person, or the flags, have chosen. */
interface Choices {
  template: Template;
  /** Null for offline. */
  model: RealModel | null;
  dir: string;
  ci: boolean;
}

export async function execute({ flags, environment }: InvocationOf<typeof initCommand>): Promise<number> {
  const { stdout } = environment;
  const listed = namesToList(flags);
  if (listed !== null) {
    const widest = Math.max(...listed.map(([name]) => name.length));
    await stdout.write(listed.map(([name, does]) => `${name.padEnd(widest)}  ${does}\n`).join(""));
    return 0;
  }
  const example = examples.find(({ name }) => name === flags.example);
  if (example !== undefined) {
    await stdout.write(await copyExample(example, flags.dir ?? example.name, environment));
    return 0;
  }
  if (
    flags.ci &&
    flags.template === undefined &&
    existsSync(resolve(environment.cwd, flags.dir ?? ".", "kindlm.yaml"))
  ) {
    await stdout.write(await addWorkflow(flags.dir ?? ".", environment));
    return 0;
  }
  const choices = await choose(flags, environment);
  if (choices === null) return 1;
  await environment.stdout.write(await writeProject(choices, environment));
  await environment.stdout.write(nextSteps(choices, environment));
  return 0;
}

type Flags = InvocationOf<typeof initCommand>["flags"];

/** What `list` asks for, as names with their descriptions. Null if nothing is to be listed. */
function namesToList({ template, example, ci }: Flags): readonly (readonly [string, string])[] | null {
  if (example !== undefined && (template !== undefined || ci)) {
    const other = template === undefined ? "--ci" : "--template";
    throw new UsageError(`--example cannot be combined with ${other}`, "Remove one of the two options");
  }
  if (example === "list") return examples.map(({ name, shows }) => [name, shows]);
  return template === "list" ? templates.map(({ name, does }) => [name, does]) : null;
}

/** Null when the person has left. */
async function choose(flags: Flags, { env, ask: person }: CliEnvironment): Promise<Choices | null> {
  const [agent] = templates;
  const given = templates.find(({ name }) => name === flags.template);
  const ask = flags.yes ? null : person;
  if (ask === null) return { template: given ?? agent, model: null, dir: flags.dir ?? ".", ci: flags.ci };
  const template: Template | null =
    given ?? (await pick(ask, "What do you want to test?", templates, ({ name, does }) => [name, does]));
  if (template === null) return null;
  const model = template.chosenModel === null ? offline : await pickModel(ask, env);
  if (model === null) return null;
  const dir = flags.dir ?? (await ask("Which folder should the tests go into? (.) "));
  if (dir === null) return null;
  const ci = flags.ci ? "y" : await ask("Add a GitHub workflow that runs them? (y/N) ");
  if (ci === null) return null;
  return { template, model: model.real, dir: dir === "" ? "." : dir, ci: /^y(es)?$/i.test(ci) };
}

interface OfferedModel {
  name: string;
  does: string;
  real: RealModel | null;
}

const offline: OfferedModel = {
  name: "offline",
  does: "answers from a file: no key, no network, no cost",
  real: null,
};

/** Models whose key is set come first; they cost money, so that nobody gets one by pressing Enter. */
function pickModel(ask: Ask, env: CliEnvironment["env"]): Promise<OfferedModel | null> {
  const offered = realModels.map((real): OfferedModel => {
    const state = (env[real.key] ?? "") === "" ? `needs ${real.key}` : `${real.key} is set`;
    return { name: real.provider, does: `${real.model}, ${state}`, real };
  });
  const isReady = ({ real }: OfferedModel): boolean => real !== null && (env[real.key] ?? "") !== "";
  const list = [...offered.filter(isReady), offline, ...offered.filter((one) => !isReady(one))];
  return pick(ask, "Which model?", list, ({ name, does }) => [name, does], offline);
}

type Ask = NonNullable<CliEnvironment["ask"]>;

/** Asks until the answer is a number or a name of the list, or nothing, which is the default. */
async function pick<T>(
  ask: Ask,
  question: string,
  list: readonly T[],
  textOf: (one: T) => readonly [name: string, does: string],
  byDefault = list[0],
): Promise<T | null> {
  const names = list.map((one) => textOf(one)[0]);
  const widest = Math.max(...names.map((name) => name.length));
  const lines = list.map((one, index) => {
    const [name, does] = textOf(one);
    return `  ${index + 1}  ${name.padEnd(widest)}  ${does}${one === byDefault ? " (default)" : ""}`;
  });
  let asked = [question, ...lines].join("\n");
  for (;;) {
    const answer = await ask(asked);
    if (answer === null) return null;
    if (answer === "" && byDefault !== undefined) return byDefault;
    const found = list[Number(answer) - 1] ?? list[names.indexOf(answer.toLowerCase())];
    if (found !== undefined) return found;
    asked = didYouMean(answer, names) ?? `Enter a number from 1 to ${list.length}`;
  }
}

/** Writes the files, and gives a line for each. Throws a UsageError if one is there already. */
async function writeProject(choices: Choices, environment: CliEnvironment): Promise<string> {
  const { dir, ci } = choices;
  const root = resolve(environment.cwd, dir);
  const files = await readTemplate(choices, environment);
  const written = await createFiles(dir, files, fix, environment);
  const script = { name: "test:agent", command: `kindlm test${dir === "." ? "" : ` ${join(dir, "kindlm.yaml")}`}` };
  return [
    written,
    await createIfMissing(join(root, ".env.example"), await readPackageFile("templates/env.example"), fix, environment),
    await addLines(join(root, ".gitignore"), [".env", ".env.local"], environment),
    await addScript(environment.cwd, script, environment),
    ci ? await writeWorkflow(choices, environment) : null,
  ].join("");
}

/** What `--ci` does for a project that has its tests. */
async function addWorkflow(dir: string, environment: CliEnvironment): Promise<string> {
  return `kept ${join(dir, "kindlm.yaml")}\n${await writeWorkflow({ dir, model: null }, environment)}`;
}

/** GitHub reads workflows at the root of the repository alone. */
async function writeWorkflow(
  { dir, model }: Pick<Choices, "dir" | "model">,
  environment: CliEnvironment,
): Promise<string> {
  const { cwd } = environment;
  const root = repositoryOf(cwd);
  const place = relative(root, cwd).replaceAll("\\", "/");
  const inFolder = place === "" ? "" : `defaults:\n  run:\n    working-directory: ${JSON.stringify(place)}\n`;
  const config = dir === "." ? "" : ` ${quoteArgument(join(dir, "kindlm.yaml").replaceAll("\\", "/"))}`;
  const text = (await readPackageFile("templates/workflow.yml"))
    .replace("jobs:\n", () => `${inFolder}jobs:\n`)
    .replace("kindlm test", () => `kindlm test${config}`)
    .replaceAll("OPENAI_API_KEY", model?.key ?? "OPENAI_API_KEY");
  return createIfMissing(join(root, ".github", "workflows", "kindlm.yml"), text, fix, environment);
}

function repositoryOf(folder: string): string {
  let root = folder;
  while (!existsSync(join(root, ".git"))) {
    if (dirname(root) === root) return folder;
    root = dirname(root);
  }
  return root;
}

const schemaInModules = "./node_modules/@kindlm/cli/schema.json";

/** The files of a template by their names, as they are written. */
async function readTemplate(
  { template, model, dir }: Choices,
  { cwd }: CliEnvironment,
): Promise<Readonly<Record<string, string>>> {
  const folder = `templates/${template.name}`;
  const names = await listPackageFiles(folder);
  const files = await Promise.all(
    names.map(async (name) => [name, await readPackageFile(`${folder}/${name}`)] as const),
  );
  const above = relative(resolve(cwd, dir), cwd).replaceAll("\\", "/");
  const schema = above === "" ? schemaInModules : schemaInModules.replace(".", above);
  const finish = (text: string): string => withModel(text.replace(schemaInModules, schema), template, model);
  return Object.fromEntries(files.map(([name, text]) => [name, name === "kindlm.yaml" ? finish(text) : text]));
}

/** The config with a real model in place of the one that is a comment. */
function withModel(config: string, { chosenModel }: Template, model: RealModel | null): string {
  if (model === null || chosenModel === null) return config;
  const { id, provider, model: name, key } = model;
  const written = `  # Reads ${key} from the environment, or from .env.\n  - { id: ${id}, provider: ${provider}, model: ${name} }`;
  return config
    .replace(/^ {2}# A real model.*\n {2}# - .*$/m, () => written)
    .replace(/^ {2}models: .*$/m, (line) => (chosenModel === "models" ? `  models: [${id}]` : line))
    .replace(/^ {2}judge: .*$/m, () => `  judge: ${id}`);
}

/** What to type now, and how to see that the tests can fail. */
function nextSteps({ template, model, dir }: Choices, { asTyped }: CliEnvironment): string {
  const { file, from, to } = template.mistake;
  const config = dir === "." ? "" : ` ${quoteArgument(join(dir, "kindlm.yaml"))}`;
  const how = model === null ? ", without a key or a network" : `. They call ${model.model}, which costs money`;
  return [
    "",
    `Run the tests${how}:`,
    `  ${asTyped("kindlm test")}${config}`,
    "",
    ...(model === null
      ? [`See a test fail. In ${join(dir, file)}, replace`, `  ${from}`, "with", `  ${to}`, "and run them again.", ""]
      : []),
  ].join("\n");
}

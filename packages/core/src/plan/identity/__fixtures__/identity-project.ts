import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterFile } from "../../../__fixtures__/clean-up.js";
import { loadConfig } from "../../../config/load-config.js";
import type { RunTestsOptions } from "../../run-options.js";
import { makeProject } from "../../../__fixtures__/make-project.js";
import { planRun } from "../../plan-run.js";
import type { PlannedCase } from "../../run-plan.js";
import { checkHashOf, type CaseIdentity, type Identifier } from "../case-identity.js";
import { loadIdentifier } from "../load-identifier.js";

const files = {
  "prompt.md": "Be kind",
  "tool.mjs": "console.log(1)",
  "extension.mjs":
    'export const a = Object.assign(() => true, { [Symbol.for("kindlm.extension")]: { family: "assertion", type: "own", options: {} } });',
  "tools.mjs": 'import { a } from "./lib.js";',
  "lib.ts": "export const a = 1;",
  "server.mjs": "// A server",
  "agent.mjs": 'export { run } from "./parts";',
  "parts/index.js": "exports.run = () => 'hi';",
  "check.mjs": "export default () => true;",
  "check.sh": "exit 0",
  "answer.json": "{}",
  "script.yaml": "rules: [{ when: { user: { $contains: hi } }, reply: { text: hello } }]\notherwise: { text: bye }",
  ".skills/a/SKILL.md": "---\nname: a\ndescription: Do it\n---\n",
  ".skills/a/references/b.md": "How to",
  "rows.csv": "id,order\na,1\n",
};

const env = { TOKEN: "first-token", KEY_A: "first-key", KEY_B: "other-key", HOST: "127.0.0.1" };

export const assertions = [
  { type: "contains", value: "{{order}}" },
  { type: "schema", schema_file: "answer.json" },
  {
    any_of: [
      { type: "module", module: "./check.mjs" },
      { type: "command", command: ["sh", "check.sh"] },
    ],
  },
];

/** A config in which nearly everything is used. The first of its cases is looked at. */
const base = {
  version: 1,
  providers: {
    live: {
      type: "openai",
      base_url: "http://${HOST}:9/v1",
      api_key_env: "KEY_A",
      headers: { authorization: "Bearer ${TOKEN}", "x-beta": "one" },
    },
    again: {
      type: "openai",
      base_url: "http://127.0.0.1:9/v1",
      headers: { "x-beta": "one", authorization: "Bearer ${TOKEN}" },
    },
    azure: { type: "azure", resource: "r" },
    bedrock: { type: "bedrock", region: "eu-west-1" },
  },
  models: [
    { id: "m", provider: "live", model: "gpt" },
    { id: "other", provider: "live", model: "other" },
    { id: "scripted", provider: "scripted", script: "script.yaml" },
  ],
  defaults: { models: ["m"] },
  suites: [
    {
      name: "s",
      system_prompt: "Be kind",
      tools: [
        { name: "lookup", parameters: { type: "object" }, responses: [{ when: { id: "1" }, return: { a: 1 } }] },
        { name: "start", command: ["node", "tool.mjs"], env: { TOKEN: "${TOKEN}" } },
        { name: "web", url: "http://127.0.0.1:9/x?key=${TOKEN}", headers: { authorization: "${TOKEN}" } },
        { module: "./tools.mjs#list" },
      ],
      mcp_servers: [
        { name: "here", command: ["node", "server.mjs"], env: { TOKEN: "${TOKEN}" } },
        { name: "there", url: "http://127.0.0.1:9/mcp", headers: { authorization: "${TOKEN}" } },
      ],
      tests: [{ name: "t", input: "Where is {{order}}?", dataset: "rows.csv", runs: 2, assert: assertions }],
    },
  ],
};

/** Paths into the config with what is put there; undefined takes a key away. */
export type Changes = Readonly<Record<string, unknown>>;

export interface Surroundings {
  files?: Readonly<Record<string, string>>;
  env?: Readonly<Record<string, string>>;
  options?: Partial<RunTestsOptions>;
}

const folders = new Map<string, string>();

/** Configs with the same files follow one another in one folder. */
function folderWith(more: Surroundings["files"] = {}): string {
  const key = JSON.stringify(more);
  const found = folders.get(key);
  if (found !== undefined) return found;
  const made = makeProject({ ...files, ...more });
  folders.set(key, made);
  afterFile(() => void folders.delete(key));
  return made;
}

interface Planned {
  cases: PlannedCase[];
  identify: Identifier;
}

/** The cases of the config after some changes, and what identifies them. */
export function plannedAfter(changes: Changes, surroundings: Surroundings = {}): Promise<Planned> {
  return plan(changed(base, changes), surroundings);
}

function changed(value: object, changes: Changes): object {
  const copy = structuredClone(value);
  for (const [at, part] of Object.entries(changes)) put(copy, at.split("."), part);
  return copy;
}

async function plan(config: object, surroundings: Surroundings): Promise<Planned> {
  const cwd = folderWith(surroundings.files);
  writeFileSync(join(cwd, "kindlm.yaml"), JSON.stringify(config));
  const loaded = await loadConfig({ paths: [], ci: false }, { env: { ...env, ...surroundings.env }, cwd });
  if (!loaded.success) throw new Error(JSON.stringify(loaded.error));
  const broken = loaded.data.suites.find((suite) => suite.status === "broken");
  if (broken?.status === "broken") throw new Error(JSON.stringify(broken.diagnostics));
  const planned = planRun(loaded.data, { paths: [], ...surroundings.options });
  if (!planned.success) throw new Error(planned.error.message);
  const identify = await loadIdentifier(loaded.data, planned.data);
  return { cases: [...planned.data.cases()], identify };
}

/** Everything that cases are compared by. */
export interface CaseHashes extends Omit<CaseIdentity, "passHash"> {
  checkHash: string;
}

const known = new Map<string, Promise<readonly CaseHashes[]>>();

/** Found once for the same changes and surroundings: many tests begin with the same. */
export function identitiesAfter(changes: Changes, surroundings: Surroundings = {}): Promise<readonly CaseHashes[]> {
  const key = keyOf(changes, surroundings);
  const found = known.get(key) ?? identifyAll(plannedAfter(changes, surroundings));
  known.set(key, found);
  return found;
}

function keyOf(changes: Changes, surroundings: Surroundings = {}): string {
  return JSON.stringify([changes, surroundings], (_key, value: unknown) => (value === undefined ? "(none)" : value));
}

async function identifyAll(planned: Promise<Planned>): Promise<readonly CaseHashes[]> {
  const { cases, identify } = await planned;
  return cases.map((one) => hashesOf(identify(one)));
}

const firstSuite = "suites.0.";
/** These have a config of their own: suites are told apart by their names, and `only` concerns all of them. */
const ofWholeRun: ReadonlySet<string> = new Set(["suites.0.name", "suites.0.tests.0.only"]);

/**
 * Finds the identities of the cases after each of these changes that concern nothing but the suite, so that they are
 * known. Each makes a suite of one config, which takes less time than as many configs.
 */
export async function identifyTogether(all: readonly Changes[]): Promise<void> {
  const isOfSuite = (at: string): boolean => at.startsWith(firstSuite) && !ofWholeRun.has(at);
  const alone = all.filter((changes) => !known.has(keyOf(changes)) && Object.keys(changes).every(isOfSuite));
  const suites = alone.map((changes, index) => {
    const own = Object.entries(changes).map(([at, value]) => [at.slice(firstSuite.length), value] as const);
    return changed({ ...base.suites[0], name: `${index}` }, Object.fromEntries(own));
  });
  const { cases, identify } = await plan({ ...base, suites }, {});
  const found = alone.map((): CaseHashes[] => []);
  for (const one of cases) found[Number(one.suite)]?.push(hashesOf(identify(one)));
  for (const [index, changes] of alone.entries()) known.set(keyOf(changes), Promise.resolve(found[index] ?? []));
}

export function hashesOf({ passHash, ...hashes }: CaseIdentity): CaseHashes {
  return { ...hashes, checkHash: checkHashOf({ ...hashes, passHash }) };
}

/** The identity of the first case of the config after some changes. */
export async function identityAfter(changes: Changes, surroundings?: Surroundings): Promise<CaseHashes> {
  const [first] = await identitiesAfter(changes, surroundings);
  if (first === undefined) throw new Error("There is no case");
  return first;
}

function put(target: unknown, [key = "", ...rest]: readonly string[], value: unknown): void {
  if (!isHolder(target)) throw new Error(`Nothing holds ${key}`);
  if (rest.length > 0) put((target[key] ??= {}), rest, value);
  else if (value === undefined) delete target[key];
  else target[key] = value;
}

/** The entries of a list are put by their number. */
function isHolder(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** The names of the hashes that differ. */
export function differences(one: CaseHashes, other: CaseHashes): string {
  const names = ["agent", "setup", "scoring", "check"] as const;
  return names.filter((name) => one[`${name}Hash`] !== other[`${name}Hash`]).join(" ") || "none";
}

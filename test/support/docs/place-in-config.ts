import { parseYaml } from "../../../packages/core/src/__fixtures__/parse-yaml.js";
import type { Block } from "./pages.js";

type Part = Readonly<Record<string, unknown>>;

/** What an excerpt leaves out, since its page is about something else. */
interface Around {
  /** A name for the suite. */
  name: string;
  /** The tools that it names. */
  tools: readonly Part[];
  /** A row with the columns that it names. */
  row: Part;
  /** Whether a model must play the user. */
  isSimulated: boolean;
  /** Providers that the page has defined above. */
  providers: Part;
}

const model = { id: "m", provider: "openai", model: "gpt-4.1-mini" };
const judge = "openai:gpt-4.1";

const config = (part: Part, around: Around): Part => {
  const providers = { ...around.providers, ...asPart(part["providers"]) };
  const models = Object.keys(asPart(part["providers"])).map((id) => ({ id, provider: id, model: "m" }));
  return {
    version: 1,
    models: models.length > 0 ? models : [model],
    suites: [suite({}, around)],
    ...part,
    ...(Object.keys(providers).length > 0 ? { providers } : {}),
    defaults: { judge, ...asPart(part["defaults"]) },
  };
};

const suite = (part: Part, around: Around): Part => ({
  name: around.name,
  ...("recommendations" in part || "permissions" in part || !("tools" in part) ? { tools: around.tools } : {}),
  tests: [test({}, around)],
  ...part,
});

const test = (part: Part, { isSimulated, row }: Around): Part => {
  const user = isSimulated ? { simulated_user: { goal: "g", model: judge } } : { input: "Hello" };
  return {
    name: "t",
    ...("conversation" in part ? {} : user),
    rows: [row],
    ...("conversation" in part ? {} : { assert: [{ type: "contains", value: "x" }] }),
    ...part,
  };
};

const inSuite = (part: Part, around: Around): Part => config({ suites: [suite(part, around)] }, around);
const inTest = (part: Part, around: Around): Part => inSuite({ tests: [test(part, around)] }, around);

/** Where an excerpt belongs: the word behind `in=` in its info string. */
export const excerpts: Readonly<Record<string, (written: unknown, around: Around) => Part>> = {
  /** Keys of a config. */
  config: (written, around) => config(asPart(written), around),
  /** Keys of a suite. */
  suite: (written, around) => inSuite(asPart(written), around),
  /** A list of tests. */
  tests: (written, around) => inSuite({ tests: written }, around),
  /** Keys of a test. */
  test: (written, around) => inTest(asPart(written), around),
  /** A list of assertions. */
  assert: (written, around) => inTest({ assert: written }, around),
  /** Keys of an assertion on a tool call. */
  assertion: (written, around) =>
    inTest({ assert: [{ type: "tool_called", tool: "lookup_order", ...asPart(written) }] }, around),
  /** Keys of a model. */
  model: (written, around) => config({ models: [{ ...model, ...asPart(written) }] }, around),
  /** A list of tools. */
  tools: (written, around) => inSuite({ tools: written }, around),
  /** Keys of a simulated tool. */
  tool: (written, around) => inSuite({ tools: [{ name: "lookup_order", ...asPart(written) }] }, around),
  /** Keys of a target. */
  target: (written, around) => inSuite({ target: written }, around),
  /** Keys of a scripted model's script. */
  script: (written, around) => config({ models: [{ id: "m", provider: "scripted", script: written }] }, around),
};

const asPart = (value: unknown): Part => (typeof value === "object" && value !== null ? { ...value } : {});

/** The names of tools that assertions use. */
const toolNames = /\b(?:tool|before|after|via)\w*: *("[^"]*"|\[[^\]]*\]|\w+)/g;

/** Assertions about a built-in tool, which the test must have. */
const builtIn = { loads_skill: "skills", delegates_to: "task_run", todos: "todo_write" };

/** The whole config around an excerpt. Null: its info string names no place. */
export function placeInConfig({ text, place, attributes }: Block, above: readonly Block[]): Part | null {
  const into = excerpts[attributes["in"] ?? ""];
  if (into === undefined) return null;
  const names = [...text.matchAll(toolNames)].flatMap(([, value = ""]) => value.match(/[a-z]\w*/g) ?? []);
  for (const [type, name] of Object.entries(builtIn)) if (text.includes(`type: ${type}`)) names.push(name);
  const columns = [...text.matchAll(/\{\{ *row\.(\w+)/g)].map(([, column = ""]) => [column, "x"] as const);
  const configs = above.filter(({ attributes: { in: where } }) => where === "config");
  return into(parseYaml(text), {
    name: place,
    tools: [...new Set(["lookup_order", ...names])].map((name) => ({ name, default: { return: "ok" } })),
    row: { customer: "c-1", ...Object.fromEntries(columns) },
    isSimulated: text.includes("conversation_ended"),
    providers: Object.assign({}, ...configs.map((block) => asPart(asPart(parseYaml(block.text))["providers"]))) as Part,
  });
}

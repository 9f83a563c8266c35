import { convertAssertions, type ConvertedAssertions } from "./convert-assertions.js";
import type { CheckFile } from "./check-file.js";
import { convertText, nameOfVariable, placeholdersIn } from "./convert-text.js";
import type { Findings } from "./findings.js";
import type { Names } from "./names.js";
import type { SourceFolder } from "./source/source-folder.js";
import { listOf, numberOf, stringOf, type SourceNode } from "./source/source-node.js";
import { isRecord } from "../values/json.js";
import { bare, noted } from "./written/write-yaml.js";

export interface TestWorld {
  findings: Findings;
  folder: SourceFolder;
  checks: CheckFile;
  /** `defaultTest`, whose parts each test has too. */
  defaults: SourceNode | null;
  /** `assertionTemplates`, by the names that `$ref` uses. */
  templates: SourceNode | null;
}

/** One test without the name and the input, which depend on the suite. */
export interface ConvertedTest {
  wanted: string;
  comments: readonly string[];
  vars: Readonly<Record<string, unknown>>;
  /** More than one combination of values; null for one. */
  rows: readonly Readonly<Record<string, unknown>>[] | null;
  threshold: number | null;
  assert: readonly unknown[];
}

/** More combinations than this are a mistake. */
const mostRows = 10_000;

export async function convertTest(node: SourceNode, index: number, world: TestWorld): Promise<ConvertedTest> {
  const { findings, defaults } = world;
  const comments = [node.comment];
  for (const key of Object.keys(withoutCounterpart)) {
    if (node.get(key) === null) continue;
    comments.push(findings.add(node, `"${key}" of a test was left out: ${withoutCounterpart[key]}`));
  }
  const { vars, lists, ...values } = await convertVars(node, world);
  const rows = combine(lists);
  comments.push(...values.comments);
  if (rows.length > mostRows) comments.push(findings.add(node, `only ${mostRows} combinations of values were kept`));
  const variables = [...Object.keys(vars), ...Object.keys(lists)];
  const sources = assertionsOf(node, defaults);
  const written = convertAssertions(sources, { ...world, variables });
  // A test without an assertion was not lost: it is said once, for all of them.
  const place = sources.length === 0 ? { file: node.file, line: 1 } : node;
  const said = isEmpty(written) ? [findings.add(place, noAssertion)] : [];
  return {
    wanted: stringOf(node.get("description")) ?? `test-${index + 1}`,
    comments: [...comments, ...written.left, ...(sources.length === 0 ? [] : said)],
    vars,
    rows: Object.keys(lists).length > 0 ? rows.slice(0, mostRows) : null,
    threshold: numberOf(node.get("threshold")) ?? numberOf(defaults?.get("threshold") ?? null),
    assert: isEmpty(written) ? [{ type: "length", min: 1 }] : written.written,
  };
}

/** The variables of a test over those of all tests. A list stands for one test for each of its values. */
async function convertVars(node: SourceNode, world: TestWorld) {
  const lists: Record<string, readonly unknown[]> = {};
  const vars: Record<string, unknown> = {};
  const comments: string[] = [];
  const sources = [world.defaults, node].flatMap((source) => source?.get("vars")?.entries() ?? []);
  for (const [written, source] of sources) {
    const name = nameOfVariable(written);
    const converted = await convertValue(source, world);
    comments.push(...converted.comments);
    delete lists[name];
    delete vars[name];
    if (Array.isArray(converted.value) && converted.value.every(isPlain)) lists[name] = converted.value;
    else vars[name] = converted.value;
  }
  return { vars, lists, comments };
}

const isEmpty = ({ written }: ConvertedAssertions): boolean => written.length === 0;

const noAssertion = "tests without an assertion check only that there is an answer: add what must hold";

/** Of `tests[]`, with what to do instead. */
const withoutCounterpart: Readonly<Record<string, string>> = {
  options: "set params of the model, and a judge",
  assertScoringFunction: "use weight and threshold",
  providerOutput: "score transcripts with kindlm score",
  provider: "set models of the test",
  providers: "set models of the test",
  prompts: "move the test into the suite of the prompt",
};

function assertionsOf(node: SourceNode, defaults: SourceNode | null): readonly SourceNode[] {
  return [...listOf(defaults?.get("assert") ?? null), ...listOf(node.get("assert"))];
}

const isPlain = (value: unknown): boolean => typeof value !== "object" || value === null;

async function convertValue(node: SourceNode, { findings, folder }: TestWorld) {
  const written = stringOf(node);
  if (written === null) return { value: node.value ?? "", comments: [] };
  if (!written.startsWith("file://")) {
    const { text, comments } = convertText(written, node, findings);
    return { value: text, comments };
  }
  const [file = ""] = await folder.find(written);
  const read = /\.(?:txt|md|json|ya?ml|html|csv)$/.test(file) ? await folder.text(file) : null;
  // Braces of a file are not placeholders of the config.
  if (read?.success === true && read.data.length < 100_000) {
    return { value: read.data.replaceAll("{{", String.raw`\{{`), comments: [] };
  }
  return { value: "", comments: [findings.add(node, `the value of ${written} was left out`)] };
}

/** Each value of each list with each of the others, as promptfoo combines them. */
function combine(lists: Readonly<Record<string, readonly unknown[]>>): readonly Readonly<Record<string, unknown>>[] {
  let rows: Readonly<Record<string, unknown>>[] = [{}];
  for (const [name, values] of Object.entries(lists)) {
    rows = rows.slice(0, mostRows).flatMap((row) => values.map((value) => ({ ...row, [name]: value })));
  }
  return rows;
}

function setEmpty(vars: Record<string, unknown>, [name = "", ...rest]: readonly string[]): void {
  const before = vars[name];
  const inner = isRecord(before) ? before : {};
  if (rest.length > 0) setEmpty(inner, rest);
  vars[name] = rest.length === 0 ? (before ?? "(no value)") : inner;
}

/** The test as a suite has it. Variables that it does not set are marked, where promptfoo leaves them empty. */
export function writeTest(
  test: ConvertedTest,
  said: Readonly<Record<string, unknown>>,
  { names, findings, node, system }: { names: Names; findings: Findings; node: SourceNode; system: string | null },
): unknown {
  const set = new Set([...Object.keys(test.vars), ...Object.keys(test.rows?.[0] ?? {})]);
  const used = placeholdersIn([said, system, test.assert.map(bare)]);
  const unset = [...new Set(used)].filter((path) => !set.has(path.replace(/\..*/, "")));
  const comments = unset.map((path) => findings.add(node, `"${path}" has no value in this test`));
  const vars = { ...test.vars };
  for (const path of unset) setEmpty(vars, path.split("."));
  const written = {
    name: names.unique(test.wanted),
    ...said,
    ...(Object.keys(vars).length > 0 ? { vars } : {}),
    ...(test.rows === null ? {} : { rows: test.rows }),
    ...(test.threshold === null ? {} : { threshold: test.threshold }),
    assert: test.assert,
  };
  return noted(written, [...test.comments, ...comments]);
}

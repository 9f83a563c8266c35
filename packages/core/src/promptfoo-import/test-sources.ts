import { attemptSync } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { failure, success, type Result } from "../result.js";
import type { Findings } from "./findings.js";
import type { SourceFolder } from "./source/source-folder.js";
import { listOf, plainNode, stringOf, type SourceNode } from "./source/source-node.js";

interface World {
  findings: Findings;
  folder: SourceFolder;
}

/** All tests of a config: those in place, and those in files. */
export async function testSources(node: SourceNode | null, world: World): Promise<readonly SourceNode[]> {
  const tests: SourceNode[] = [];
  for (const one of listOf(node)) tests.push(...(await sourcesOf(one, world)));
  return tests;
}

async function sourcesOf(node: SourceNode, { findings, folder }: World): Promise<readonly SourceNode[]> {
  const written = stringOf(node) ?? stringOf(node.get("path"));
  if (written === null) return [node];
  if (/^(?:https?:|huggingface:)/.test(written) || /\.(?:[cm]?[jt]s|py|xlsx?)(?::\w+)?(?:#.*)?$/.test(written)) {
    findings.add(node, `the tests of ${written} were left out: write them to a CSV or JSON Lines file`);
    return [];
  }
  const files = await folder.find(written);
  if (files.length === 0) findings.add(node, `no file matches ${written}`);
  const found: SourceNode[] = [];
  for (const file of files) {
    const read = /\.(?:csv|tsv)$/.test(file) ? await readTable(file, folder) : await folder.data(file);
    if (!read.success) findings.add(node, `${folder.shown(file)} ${read.error}`);
    else found.push(...listOf(read.data));
  }
  return found;
}

async function readTable(file: string, folder: SourceFolder): Promise<Result<SourceNode, string>> {
  const read = await folder.text(file);
  if (!read.success) return read;
  const { parse } = await import("csv-parse/sync");
  const options = { columns: true, skip_empty_lines: true, relax_column_count: true, info: true, trim: true } as const;
  const delimiter = file.endsWith(".tsv") ? "\t" : ",";
  const shown = folder.shown(file);
  const rows = attemptSync(
    (): { record: Record<string, string>; info: { lines: number } }[] => parse(read.data, { ...options, delimiter }),
    messageOf,
  );
  if (!rows.success) return failure(`is not valid CSV: ${rows.error}`);
  const tests = rows.data.map(({ record, info }) => plainNode(testOf(record), shown, info.lines));
  return success({ ...plainNode([], shown, 1), value: tests, items: () => tests });
}

/** A test for a row, whose columns that start with two underscores have a meaning. */
function testOf(record: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> {
  const vars = Object.entries(record).filter(([name]) => !name.startsWith("__"));
  const expected = Object.entries(record).filter(([name, cell]) => /^__expected\d*$/.test(name) && cell !== "");
  const { __description: description = "", __threshold: threshold = "" } = record;
  return {
    vars: Object.fromEntries(vars),
    assert: expected.map(([, cell]) => assertionOf(cell)),
    ...(description === "" ? {} : { description }),
    ...(threshold === "" ? {} : { threshold: Number(threshold) }),
  };
}

const short: Readonly<Record<string, string>> = { fn: "javascript", eval: "javascript", grade: "llm-rubric" };

/** `type: value`, `type(0.8): value`, or the whole answer. */
function assertionOf(cell: string): Readonly<Record<string, unknown>> {
  const [, name, threshold, value] = /^([a-z][\w-]*)(?:\(([\d.]+)\))?:\s*([^]*)$/.exec(cell) ?? [];
  if (name === undefined || value === undefined) return { type: "equals", value: cell };
  return { type: short[name] ?? name, value, ...(threshold === undefined ? {} : { threshold: Number(threshold) }) };
}

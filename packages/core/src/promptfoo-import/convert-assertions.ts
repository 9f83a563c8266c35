import { AssertionSource, type ConvertedAssertion } from "./assertion-source.js";
import { assertionTable } from "./assertion-table.js";
import type { CheckFile } from "./check-file.js";
import type { Findings } from "./findings.js";
import { numberOf, stringOf, type SourceNode } from "./source/source-node.js";
import { noted } from "./written/write-yaml.js";

export interface AssertionWorld {
  findings: Findings;
  checks: CheckFile;
  /** Names of the variables of the test. */
  variables: readonly string[];
  templates: SourceNode | null;
}

/** A list of assertions. Those without a counterpart are comments above the next one. */
export interface ConvertedAssertions {
  written: unknown[];
  /** Above nothing: of those behind the last one. */
  left: readonly string[];
}

export function convertAssertions(nodes: readonly SourceNode[], world: AssertionWorld): ConvertedAssertions {
  const written: unknown[] = [];
  let comments: string[] = [];
  for (const node of nodes) {
    const [converted, said] = convertAssertion(node, world);
    comments.push(...said);
    if (converted === null) continue;
    written.push(noted(converted, comments));
    comments = [];
  }
  return { written, left: comments };
}

type Commented = readonly [Readonly<Record<string, unknown>> | null, readonly string[]];

function convertAssertion(written: SourceNode, world: AssertionWorld): Commented {
  const [, template = ""] = /^#\/assertionTemplates\/(.+)$/.exec(stringOf(written.get("$ref")) ?? "") ?? [];
  const node = world.templates?.get(template) ?? written;
  const type = stringOf(node.get("type"));
  const common = commonKeys(node, world);
  const before = [node.comment, ...common.comments];
  if (type === null) return [null, [...before, world.findings.add(node, "an assertion without a type was left out")]];
  if (type === "assert-set") {
    const [group, comments] = convertSet(node, world);
    return [group === null ? null : { ...group, ...common.keys }, [...before, ...comments]];
  }
  const isNot = type.startsWith("not-") && !Object.hasOwn(assertionTable, type);
  const name = isNot ? type.slice("not-".length) : type;
  const source = new AssertionSource(node, world);
  const convert = Object.hasOwn(assertionTable, name) ? assertionTable[name] : undefined;
  const converted: ConvertedAssertion = convert?.(source) ?? { missing: "KindLM has no such type" };
  if ("missing" in converted && typeof converted["missing"] === "string") {
    return [null, [...before, world.findings.add(node, `${type} was left out: ${converted["missing"]}`)]];
  }
  return [{ ...converted, ...(isNot ? { not: true } : {}), ...common.keys }, [...before, ...source.comments]];
}

/** `weight` and what only promptfoo has. */
function commonKeys(node: SourceNode, { findings }: AssertionWorld) {
  const comments: string[] = [];
  const weight = numberOf(node.get("weight"));
  if (weight === 0) comments.push(findings.add(node, "a weight of 0 has no counterpart: the assertion counts"));
  const metric = stringOf(node.get("metric"));
  if (metric !== null) comments.push(`metric: ${metric}`);
  for (const key of ["transform", "contextTransform", "rubricPrompt", "config", "provider"]) {
    if (node.get(key) !== null) comments.push(findings.add(node, `"${key}" of an assertion has no counterpart`));
  }
  return { keys: weight !== null && weight > 0 ? { weight } : {}, comments };
}

function convertSet(node: SourceNode, world: AssertionWorld): Commented {
  const { written, left } = convertAssertions(node.get("assert")?.items() ?? [], world);
  if (written.length === 0) return [null, left];
  const threshold = numberOf(node.get("threshold"));
  if (threshold === null || threshold >= 1) return [{ all_of: written }, left];
  return [{ at_least: Math.max(1, Math.ceil(threshold * written.length)), of: written }, left];
}

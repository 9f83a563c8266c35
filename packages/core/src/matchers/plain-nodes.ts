import { memberOf } from "../values/exact-integers.js";
import { isRecord } from "../values/json.js";
import { preview } from "../values/preview.js";
import { joinWords, wantedOf, type MatcherNode, type MismatchReport } from "./matcher-node.js";

/** Matches a list of the same length, element by element. */
export function listNode(source: readonly unknown[], nodes: readonly MatcherNode[]): MatcherNode {
  const node: MatcherNode = {
    source,
    isPlain: nodes.every((child) => child.isPlain),
    accepts: (value) => {
      if (!Array.isArray(value) || value.length !== nodes.length) return false;
      let index = 0;
      for (const child of nodes) {
        if (!child.accepts(memberOf(value, index))) return false;
        index += 1;
      }
      return true;
    },
    explain: (value, report) => {
      if (!Array.isArray(value)) return report.add(wantedOf(node), value);
      for (const [index, child] of nodes.entries()) {
        if (report.isFull()) return;
        if (index < value.length) report.explainAt(index, child, memberOf(value, index));
        // An element that is not there is a difference even where its matcher would take absence.
        else report.addAt(index, wantedOf(child), undefined);
      }
      for (let index = nodes.length; index < value.length && !report.isFull(); index += 1) {
        report.addAt(index, "absent", value[index]);
      }
    },
    describe: (room) => (node.isPlain ? preview(source, room) : `[${joinWords(nodes, ", ", room)}]`),
  };
  return node;
}

/** Matches an object of which each key matches; `closed` ones allow no further key. */
export function objectNode(
  source: Readonly<Record<string, unknown>>,
  members: readonly (readonly [key: string, node: MatcherNode])[],
  closed: boolean,
): MatcherNode {
  const keys = new Set(members.map(([key]) => key));
  const isPlain = members.every(([, child]) => child.isPlain);
  const node: MatcherNode = {
    source,
    isPlain,
    accepts: (value) => {
      if (!isRecord(value)) return false;
      for (const [key, child] of members) {
        if (!child.accepts(Object.hasOwn(value, key) ? memberOf(value, key) : undefined)) return false;
      }
      return !closed || !hasOtherKey(value, keys);
    },
    explain: (value, report) => {
      if (!isRecord(value)) return report.add(wantedOf(node), value);
      for (const [key, child] of members) {
        if (report.isFull()) return;
        report.explainAt(key, child, Object.hasOwn(value, key) ? memberOf(value, key) : undefined);
      }
      if (closed) reportOtherKeys(value, keys, report);
    },
    describe: (room) => {
      if (isPlain) return preview(source, room);
      const named = members.map(([key, child]) => ({
        describe: (rest: number) => `${preview({ [key]: 0 }).slice(1, -4)}: ${child.describe(rest)}`,
      }));
      return `{${joinWords(named, ", ", room)}}`;
    },
  };
  return node;
}

function hasOtherKey(value: Record<string, unknown>, keys: ReadonlySet<string>): boolean {
  for (const key in value) {
    if (!keys.has(key) && Object.hasOwn(value, key) && value[key] !== undefined) return true;
  }
  return false;
}

function reportOtherKeys(value: Record<string, unknown>, keys: ReadonlySet<string>, report: MismatchReport): void {
  for (const [key, member] of Object.entries(value)) {
    if (report.isFull()) return;
    if (!keys.has(key) && member !== undefined) report.addAt(key, "absent", member);
  }
}

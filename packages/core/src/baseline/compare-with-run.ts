import type { SuiteResult, TestResult } from "../engine/run-result.js";
import type { JudgedRun } from "../journal/read-run.js";
import { unknownRules, type ComparisonRules } from "../plan/comparison-rules.js";
import type { Redactor } from "../redaction/redactor.js";
import type { BaselineEntry } from "./baseline.js";
import type { RunsComparison } from "./baseline-report.js";
import { compareRun } from "./compare-run.js";
import type { LoadedBaseline } from "./load-baseline.js";
import { takeCases } from "./set-suite.js";

interface Sides {
  root: string;
  before: JudgedRun;
  after: JudgedRun;
  redactor: Redactor;
}

/**
 * Compares a run with an earlier one as if the earlier one had been saved as its baseline. Rejects if trials cannot be
 * read.
 */
export async function compareWithRun({ root, before, after, redactor }: Sides): Promise<RunsComparison> {
  const { suites, agents = {}, trials: read, run } = after.result;
  const { redact } = redactor;
  const taken = new Map<string, Awaited<ReturnType<typeof takeCases>>>();
  const sameCase = pairIds(before.result.suites, suites, redact);
  for (const { name, tests } of before.result.suites) {
    const { fresh, left } = await takeCases(tests, before.result, false, redactor);
    const named = <T extends { caseId: string }>(one: T): T => ({
      ...one,
      caseId: sameCase.get(one.caseId) ?? one.caseId,
    });
    taken.set(redact(name), { fresh: fresh.map(named), left: left.map(named) });
  }
  const { run: earlier, kindlm } = before.result;
  const load = async (suite: string): Promise<LoadedBaseline> => {
    const entries = taken.get(suite)?.fresh;
    if (entries === undefined) return { status: "none" };
    const { startedAt: setAt, id: runId, seed, git } = earlier;
    const header = { suite, setAt, kindlm, runId, seed, commit: git?.commit ?? null };
    return { status: "sound", baseline: { header, entries: byId(entries) } };
  };
  const rules = rulesOf(after);
  const comparison = await compareRun({ root, suites, agents, rules, read, redact, load });
  const all = [...taken.values()];
  return {
    run: run.id,
    earlier: { id: earlier.id, startedAt: earlier.startedAt, commit: earlier.git?.commit ?? null },
    comparison: comparison ?? { verdict: null, suites: [] },
    cases: all.flatMap(({ fresh }) => fresh),
    left: all.flatMap(({ left }) => left),
  };
}

/** By which patterns a run can be said to lack a case. A shard has not all the cases that its patterns take. */
export function rulesOf({ result, judgedBy }: JudgedRun): ComparisonRules {
  const { comparison: rules = unknownRules } = judgedBy.rules;
  return result.run.shard === undefined ? rules : { ...rules, sees: null };
}

function byId(entries: readonly BaselineEntry[]): ReadonlyMap<string, BaselineEntry> {
  return new Map(entries.map((entry) => [entry.caseId, entry]));
}

/**
 * The IDs of the later run, by those of the earlier one, for cases that another model was tested with: those whose IDs
 * differ in the model alone, where no other case is meant on either side.
 */
function pairIds(
  before: readonly SuiteResult[],
  after: readonly SuiteResult[],
  redact: (text: string) => string,
): ReadonlyMap<string, string> {
  const idsIn = (suites: readonly SuiteResult[]) => suites.flatMap(({ tests }) => tests.map((test) => redact(test.id)));
  const [earlier, later] = [new Set(idsIn(before)), new Set(idsIn(after))];
  const left = keysOf(before, (id) => !later.has(id), redact);
  const right = keysOf(after, (id) => !earlier.has(id), redact);
  const pairs = new Map<string, string>();
  for (const [key, [id, ...others]] of left) {
    const [same, ...more] = right.get(key) ?? [];
    if (id !== undefined && same !== undefined && others.length + more.length === 0) pairs.set(id, same);
  }
  return pairs;
}

/** The IDs of cases, by what they are without the model. */
function keysOf(
  suites: readonly SuiteResult[],
  isMeant: (id: string) => boolean,
  redact: (text: string) => string,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const test of suites.flatMap(({ tests }) => tests)) {
    const id = redact(test.id);
    if (!isMeant(id)) continue;
    const key = keyOf(test);
    const ids = found.get(key) ?? [];
    ids.push(id);
    found.set(key, ids);
  }
  return found;
}

function keyOf({ suite, name, row, prompt, fault }: TestResult): string {
  return JSON.stringify([suite, name, row, prompt, fault]);
}

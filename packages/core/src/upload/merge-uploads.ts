import { RunTally } from "../engine/summary/run-tally.js";
import { suiteOfCase } from "../engine/summary/suite-of-case.js";
import type { RunInfo } from "../engine/run-result.js";
import { gatesIn } from "../gates/registry.js";
import type { GateRules } from "../gates/decide-gates.js";
import { decideMerge, type FinishedShard, type MergeCandidate, type MergeRefusal } from "../merge/decide-merge.js";
import { joinSuites } from "../merge/join-suites.js";
import { mergeInfo, sumSettled } from "../merge/merge-totals.js";
import { failure, success, type Result } from "../result.js";
import { assembleResult } from "../run/assemble-result.js";
import type { CaseDocument } from "./case-document.js";
import { describeRun } from "./describe-run.js";
import { restoreSpent, restoreSuites, restoreTrial } from "./restore-case.js";
import { infoOf, rulesOf } from "./restore-run.js";
import type { UploadDocument } from "./run-document.js";

export type { MergeRefusal } from "../merge/decide-merge.js";

interface Part extends MergeCandidate {
  run: { head: { run: RunInfo } };
  document: UploadDocument;
}

/**
 * Joins uploaded shards into the run that `kindlm merge` makes of the same shards: totals, gates and verdict are equal.
 * Fails if they are not all the shards of one run, each once, or if a gate compares with a baseline, which is in the
 * repository.
 */
export async function mergeUploads(
  id: string,
  documents: readonly UploadDocument[],
): Promise<Result<UploadDocument, MergeRefusal>> {
  const version = documents[0]?.run.kindlm ?? "";
  const decided = decideMerge(documents.map(partOf), version);
  if (!decided.success) return decided;
  const shards = decided.data;
  const [first] = shards;
  const rules = rulesOf(first.source.document.run);
  if (rules === null) return refuse("The gates of the shards are not known", "Update the server");
  const compared = gateThatCompares(rules);
  if (compared !== null) {
    const message = `Gate ${compared} compares with a baseline, which the server does not have`;
    return refuse(message, "Run kindlm merge where the repository is, and upload its result");
  }
  const ordered = shards.map(({ source }) => source.document);
  const joined = joinSuites(
    first.shard.suites,
    ordered.map(({ run, cases }) => ({ shown: run.run, suites: restoreSuites(run.suites, cases) })),
  );
  if (!joined.success) return joined;
  const suites = joined.data.map(({ suite }) => suite);
  const byId = new Map(ordered.flatMap(({ cases }) => cases.map((one) => [one.id, one] as const)));
  const cases = suites.flatMap(({ tests }) =>
    tests.flatMap((test) => {
      const found = byId.get(test.id);
      return found === undefined ? [] : [withoutPlace(found)];
    }),
  );
  const result = await assembleResult({
    suites,
    ...measure(cases, ordered),
    ranCases: [],
    stoppedBy: null,
    haltedBy: ordered.some(({ run }) => run.halted) ? "a shard did not start all cases" : null,
    rules,
    info: mergedInfo(id, shards),
    warnings: [],
    async *read() {},
    comparison: null,
    agents: Object.fromEntries(ordered.flatMap(({ run }) => Object.entries(run.agents))),
    redact: (text) => text,
  });
  const haltedBy = ordered.some(({ run }) => run.halted) ? "" : null;
  const { include, ciAttempt } = first.source.document.run;
  const run = describeRun(
    { result, rules, haltedBy, spent: [] },
    {
      include,
      ciAttempt,
      redact: (text) => text,
      showTrial: () => ({}),
    },
  );
  const spent = ordered.flatMap((document) => document.run.spent);
  return success({ run: { ...run, kindlm: version, spent }, cases });
}

function partOf(document: UploadDocument): Part {
  const { run } = document;
  const shard = run.shard === undefined ? null : { index: run.shard.index, of: run.shard.of };
  return { shown: run.run, id: run.run, kindlm: run.kindlm, shard, run: { head: { run: infoOf(run) } }, document };
}

function mergedInfo(id: string, [first, ...others]: readonly [FinishedShard<Part>, ...FinishedShard<Part>[]]): RunInfo {
  return mergeInfo(
    id,
    first.info,
    others.map(({ info }) => info),
  );
}

/** The first gate that needs a baseline; null if there is none. */
function gateThatCompares({ gates, suiteGates = {} }: GateRules): string | null {
  const all = [gates, ...Object.values(suiteGates)].flatMap(gatesIn);
  return all.find(({ gate }) => gate.needsBaseline === true)?.gate.name ?? null;
}

/** Trial by trial in the order of the cases, as `kindlm merge` adds them: sums of fractions depend on it. */
function measure(cases: readonly CaseDocument[], parts: readonly UploadDocument[]) {
  const tally = new RunTally();
  for (const one of cases) {
    if (one.status === "skipped") continue;
    for (const trial of one.trials) tally.addMeasured(restoreTrial(trial), one.suite);
  }
  const names = parts[0]?.run.shard?.suites.map(({ name }) => name) ?? [];
  for (const { run } of parts) {
    for (const { caseId, ...spent } of run.spent) {
      tally.addMeasuredSpent(restoreSpent(spent), suiteOfCase(caseId, names));
    }
  }
  const settled = sumSettled(parts.map(({ run }) => ({ providers: run.summary.providers })));
  return { totals: tally.summarize(settled), suiteTotals: tally.ofSuites() };
}

function withoutPlace({ place: _ofShard, ...rest }: CaseDocument): CaseDocument {
  return rest;
}

function refuse(message: string, hint: string): Result<never, MergeRefusal> {
  return failure({ message, hint });
}

import { expect, it } from "vitest";
import { findAll } from "../packages/cli/src/findings/find-all.js";
import { createIndex } from "../packages/cli/src/reporters/html/report-index.js";
import { describeTrial } from "../packages/cli/src/reporters/html/report-trial.js";
import { trialShape } from "../packages/core/src/engine/trial-result.js";
import type { RunResult, TrialResult } from "../packages/core/src/engine/run-result.js";
import { saidView } from "../packages/core/src/reporters/report-view.js";
import {
  canaries,
  plainSettings,
  runForUpload,
  uploadOf,
} from "../packages/core/src/upload/__fixtures__/uploaded-runs.js";
import type { CaseDocument } from "../packages/core/src/upload/case-document.js";
import { readUpload } from "../packages/core/src/upload/read-upload.js";
import { restoreRun } from "../packages/core/src/upload/restore-run.js";
import type { UploadInclude } from "../packages/core/src/upload/run-document.js";

const redact = (text: string): string => text;

/** What no upload has: places in files, reasons in the config, and times that are counted from the start of a trial. */
const unknown = new Set(["position", "cause", "causes", "atMs", "startMs", "durationMs", "warnings"]);

/** The report without it. */
async function reportOf(result: RunResult) {
  const options = { redact, asTyped: redact };
  const findings = await findAll(result, options);
  const parts = { findings, comparisons: [], activities: new Map(), notes: [], lettersOf: () => "" };
  const index = await createIndex(result, options, parts);
  const trials = [];
  for (const { tests } of result.suites) {
    for (const test of tests) {
      if (test.status === "skipped") continue;
      for await (const trial of result.trials(test.id))
        trials.push(describeTrial(trial, { ...options, withTranscript: trial.messages.length > 0 }));
    }
  }
  const known = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value, (key, one: unknown) => (unknown.has(key) ? undefined : one)));
  const kinds = index.kinds.map(({ where, ...kind }) => ({ ...kind, where: where.replace(/ · kindlm\.yaml:\d+/, "") }));
  const suites = index.suites.filter(({ error }) => error === null);
  const cases = index.cases.map((one) => (one.reason === canaries.allowed ? { ...one, reason: "" } : one));
  return { index: known({ ...index, kinds, suites, cases }), trials: known(trials) };
}

const ran = runForUpload();

async function restored(include: readonly UploadInclude[]): Promise<RunResult> {
  const showTrial = (trial: TrialResult) =>
    trialShape.report(trial, { ...saidView(trial.assertions, { redact, verbose: false }), messages: true });
  const upload = await uploadOf((await ran).folder, { ...plainSettings(include), showTrial });
  const byId = new Map<string, CaseDocument>(upload.cases.map((one) => [one.id, one]));
  return restoreRun(upload.run, upload.cases, (id) => Promise.resolve(byId.get(id) ?? null));
}

it("a report of an uploaded run with transcripts is that of the run", async () => {
  const read = await readUpload(null, { paths: [] }, (await ran).folder);
  if (!read.success) throw new Error(read.error.message);
  const direct = await reportOf(read.data.result);
  expect(JSON.stringify(direct.trials)).toContain(canaries.argument);
  expect(await reportOf(await restored(["messages", "transcripts"]))).toEqual(direct);
});

it("without transcripts it has measurements, and words that quote nothing", async () => {
  const report = await reportOf(await restored([]));
  const { kinds, head } = report.index as Record<string, unknown>;
  expect(kinds).toEqual([{ title: "Assertion contains failed", where: "contains", cases: 4 }]);
  expect(head).toMatchObject({ verdict: "failed", counts: { passed: 6, failed: 4, errored: 2, skipped: 3 } });
  expect((report.trials as unknown[])[0]).toMatchObject({
    rows: null,
    assertions: [{ type: "contains", pass: true, message: "" }],
  });
  for (const canary of Object.values(canaries)) expect(JSON.stringify(report)).not.toContain(canary);
});

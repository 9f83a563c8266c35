import { attempt } from "../../errors/boundary.js";
import { readError } from "../../files/store-error.js";
import type { ProjectPlace } from "../../config/locate-root.js";
import type { RunResult, TrialResult } from "../../engine/run-result.js";
import { trialShape } from "../../engine/trial-result.js";
import { failure, success, type Result } from "../../result.js";
import { judgedUnkept } from "../../run/unkept-runs.js";
import { saidView } from "../../reporters/report-view.js";
import type { CaseDocument } from "../case-document.js";
import { describeCases, describeRun, type UploadedRun, type UploadSettings } from "../describe-run.js";
import { readUpload } from "../read-upload.js";
import type { RunDocument } from "../run-document.js";
import type { SentRun, ServerConnection } from "./call-server.js";
import { noProject } from "./open-server.js";
import type { OutboxEntry } from "./outbox.js";
import { sendRun } from "./send-run.js";

/** A finished run of this machine as it is sent. */
export interface StoredRun {
  run: RunDocument;
  /** Rejects if the journal is damaged. */
  cases: AsyncIterable<CaseDocument>;
}

export interface StoredRunSettings {
  place: ProjectPlace;
  cwd: string;
  entry: OutboxEntry;
  redact(text: string): string;
}

/** Fails as `readUpload` does. */
export async function describeStoredRun(
  wanted: string | null,
  settings: StoredRunSettings,
): Promise<Result<StoredRun>> {
  const read = await readUpload(wanted, settings.place, settings.cwd);
  return read.success ? success(describeFinished(read.data, settings)) : read;
}

/** A run that has just ended: as it is stored, or from memory if its folder could not be written. */
export async function describeEndedRun(result: RunResult, settings: StoredRunSettings): Promise<Result<StoredRun>> {
  const judged = judgedUnkept(result);
  if (judged === null) return describeStoredRun(result.run.id, settings);
  return success(describeFinished({ result, ...judged, spent: [] }, settings));
}

function describeFinished(run: UploadedRun, { entry, redact }: StoredRunSettings): StoredRun {
  const settings: UploadSettings = {
    include: entry.include,
    ciAttempt: entry.ciAttempt,
    redact,
    showTrial: (trial: TrialResult) =>
      trialShape.report(trial, { ...saidView(trial.assertions, { redact, verbose: false }), messages: true }),
  };
  const document = describeRun(run, settings);
  const branch = document.branch ?? (entry.branch === null ? null : redact(entry.branch));
  return { run: { ...document, branch }, cases: describeCases(run.result, settings) };
}

/** Sends it to the project that the config names, or that it was run for. */
export async function sendStoredRun(
  server: ServerConnection,
  { run, cases }: StoredRun,
  project = run.project,
): Promise<Result<SentRun>> {
  if (project === null) return failure(noProject());
  const sent = await attempt(
    () => sendRun(server, project, run, cases),
    (cause) => readError(`the journal of run ${run.run}`, cause),
  );
  return sent.success ? sent.data : sent;
}

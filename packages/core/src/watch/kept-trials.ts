import { stat } from "node:fs/promises";
import { maskedText } from "../engine/mask-sensitive.js";
import type { Outcome } from "../engine/outcome.js";
import type { TrialResult } from "../engine/run-result.js";
import { knownCostOf } from "../engine/summary/known-cost.js";
import { attempt } from "../errors/boundary.js";
import type { LinePlace } from "../files/read-lines.js";
import { readError } from "../files/store-error.js";
import { awaitsJudge, isDecided } from "../journal/earlier-records.js";
import { decodeRecord } from "../journal/decode-record.js";
import type { TrialIdentity, TrialRecord } from "../journal/journal-record.js";
import { createLineReader, type LineReader } from "../journal/line-reader.js";
import { readJournal } from "../journal/read-journal.js";
import { listRunFolders, type RunFolder } from "../journal/run-folder.js";
import { mask } from "../redaction/redactor.js";
import { success } from "../result.js";

/** The newest runs that are read, as far as their journals are not longer together. */
const mostRuns = 20;
const mostBytes = 256 * 1_048_576;

/** A trial that some run keeps. */
export interface KeptTrial {
  run: KeptRun;
  place: LinePlace;
  identity: TrialIdentity;
  /** Without the message of its error. */
  outcome: Outcome;
  isDecided: boolean;
  /** Only a judge is missing, so that it need not be run again. */
  awaitsJudge: boolean;
  /** Something in it was masked, so that other assertions would miss it. */
  isMasked: boolean;
}

interface KeptRun {
  /** After all IDs where it is a replay. */
  id: string;
  /** Size and time of change of its journal. */
  version: string;
  seed: number;
  reader: LineReader;
  /** A replay that no run has taken over yet. */
  isReplay: boolean;
}

/** What a trial of a case cost last, US dollars; null where a price is unknown. */
export interface LastCost {
  trialUsd: number | null;
  /** Of it, what was asked about the finished conversation. */
  judgingUsd: number;
}

interface CaseCosts {
  run: string;
  trials: number;
  usd: number;
  judgingUsd: number;
  isKnown: boolean;
}

/**
 * The trials that the newest runs of a project keep, by what could change their result. A journal is read once, so a look
 * after a change costs what the last run added. Holds where trials are, and nothing that was said.
 */
export class KeptTrials {
  readonly #runs = new Map<string, KeptRun>();
  /** By case and number of the trial, the newest first. */
  readonly #trials = new Map<string, KeptTrial[]>();
  readonly #costs = new Map<string, CaseCosts>();
  /** Very many trials have the same few identities. */
  readonly #identities = new Map<string, TrialIdentity>();

  /** Reads the runs that were added or went on since the last time, and forgets those that are gone. */
  async refresh(root: string): Promise<void> {
    const folders = await newestFolders(root);
    const there = new Set(folders.map(({ folder }) => folder.id));
    for (const [id, { isReplay }] of this.#runs) if (!isReplay && !there.has(id)) this.#forget(id);
    for (const { folder, version } of folders.toReversed()) {
      if (this.#runs.get(folder.id)?.version === version) continue;
      this.#forget(folder.id);
      await this.#read(folder, version);
    }
  }

  /** Takes in the trials that recordings alone have answered, until a run has them. `lines`: as in a journal. */
  addReplayed(seed: number, lines: readonly string[]): void {
    const run: KeptRun = { ...replayRun, seed, reader: { read: ({ offset }) => success(lines[offset] ?? "") } };
    this.#runs.set(run.id, run);
    for (const [offset, line] of lines.entries()) {
      const record = decodeRecord(line);
      const place = { offset, length: 1 };
      if (record.success && record.data.kind === "trial") this.#add(record.data, { run, place }, line);
    }
  }

  forgetReplayed(): void {
    this.#forget(replayRun.id);
  }

  /** The kept trials of this number, the newest first. `caseId` is redacted, as journals are. */
  of(caseId: string, trial: number): readonly KeptTrial[] {
    return this.#trials.get(keyOf(caseId, trial)) ?? [];
  }

  /** Undefined for a case that no kept run has. */
  lastCostOf(caseId: string): LastCost | undefined {
    const costs = this.#costs.get(caseId);
    if (costs === undefined) return undefined;
    const { usd, trials, judgingUsd, isKnown } = costs;
    return { trialUsd: isKnown ? usd / trials : null, judgingUsd: judgingUsd / trials };
  }

  async #read(folder: RunFolder, version: string): Promise<void> {
    const run: KeptRun = {
      id: folder.id,
      version,
      seed: 0,
      reader: createLineReader(folder.journal),
      isReplay: false,
    };
    this.#runs.set(folder.id, run);
    let isOwn = true;
    // A journal that is damaged, or of another version, has no trials to take over.
    await readJournal(folder.journal, folder.journal, (record, place, line) => {
      if (record.kind === "run") {
        run.seed = record.seed;
        isOwn = record.scored?.from !== "transcripts";
      }
      if (record.kind === "trial" && isOwn) this.#add(record, { run, place }, line);
    });
  }

  #add({ trial, identity }: TrialRecord, at: Pick<KeptTrial, "run" | "place">, line: string): void {
    // One that was cut off is as good as none.
    const code = trial.error?.code;
    if (trial.fresh === true || code === "ENGINE_ABORTED" || code === "ENGINE_BUDGET_EXCEEDED") return;
    if (!at.run.isReplay) this.#addCost(trial, at.run.id);
    const kept: KeptTrial = {
      ...at,
      identity: this.#shared(identity),
      outcome: { status: trial.status, error: trial.error },
      isDecided: isDecided(trial),
      awaitsJudge: awaitsJudge(trial),
      isMasked: line.includes(mask) || line.includes(maskedText),
    };
    const key = keyOf(trial.caseId, trial.trial);
    const others = (this.#trials.get(key) ?? []).filter(
      (other) => other.identity !== kept.identity || other.run.id > kept.run.id,
    );
    const newer = others.filter(({ run }) => run.id > kept.run.id).length;
    others.splice(newer, 0, kept);
    this.#trials.set(key, others);
  }

  #addCost(trial: TrialResult, run: string): void {
    const known = this.#costs.get(trial.caseId);
    if (known !== undefined && known.run > run) return;
    const costs = known?.run === run ? known : { run, trials: 0, usd: 0, judgingUsd: 0, isKnown: true };
    costs.trials += 1;
    costs.usd += knownCostOf(trial);
    costs.judgingUsd += trial.judging?.costUsd ?? 0;
    costs.isKnown &&= trial.costUsd !== null;
    this.#costs.set(trial.caseId, costs);
  }

  #shared(identity: TrialIdentity): TrialIdentity {
    const { agentHash, setupHash, scoringHash, codeHash = "" } = identity;
    const key = `${agentHash} ${setupHash} ${scoringHash} ${codeHash}`;
    const known = this.#identities.get(key) ?? identity;
    this.#identities.set(key, known);
    return known;
  }

  #forget(id: string): void {
    if (!this.#runs.delete(id)) return;
    for (const [key, kept] of this.#trials) {
      const left = kept.filter(({ run }) => run.id !== id);
      if (left.length === kept.length) continue;
      if (left.length === 0) this.#trials.delete(key);
      else this.#trials.set(key, left);
    }
  }
}

const replayRun = { id: "~", version: "", isReplay: true } as const;

async function newestFolders(root: string): Promise<readonly { folder: RunFolder; version: string }[]> {
  const found: { folder: RunFolder; version: string }[] = [];
  let bytes = 0;
  for (const folder of await listRunFolders(root)) {
    if (found.length === mostRuns || bytes > mostBytes) break;
    const journal = await attempt(
      () => stat(folder.journal),
      (cause) => readError(folder.journal, cause),
    );
    if (!journal.success) continue;
    bytes += journal.data.size;
    found.push({ folder, version: `${journal.data.size} ${journal.data.mtimeMs}` });
  }
  return found;
}

function keyOf(caseId: string, trial: number): string {
  return `${trial}\n${caseId}`;
}

import { join } from "node:path";
import type { TrialOrigin } from "../engine/ports.js";
import type { TrialResult } from "../engine/run-result.js";
import type { KindlmError } from "../errors/kindlm-error.js";
import type { CassetteMode } from "../config/cassette-mode.js";
import { success, type Result } from "../result.js";
import type { Redactor } from "../redaction/redactor.js";
import type { RunPlan } from "../plan/run-plan.js";
import type { ListedTool } from "../tools/tool-lists.js";
import type { Clock } from "../values/clock.js";
import { changeCassette, loadCassette, type CassettePlace } from "./cassette-files.js";
import { emptyCassette, type CassetteContent, type Entry } from "./cassette-lines.js";
import { cassetteFolder, cassettePath } from "./cassette-path.js";
import type { Asker } from "./explain-miss.js";
import { numbered } from "./render-cassette.js";
import { createTrialTape, type TrialTape } from "./trial-tape.js";

/** How long finished trials wait at most before they are written down, milliseconds. */
const longestWaitMs = 2_000;

/** The tape of one trial, with the file that it belongs to. */
export interface OpenTape {
  tape: TrialTape;
  /** Null in a file that does not exist yet, and where nothing is replayed. */
  content: CassetteContent | null;
  asker: Asker;
}

interface TestFile {
  place: CassettePlace;
  suite: string;
  test: string;
  /** Trials of its cases. */
  runs: Map<string, number>;
  loading: Promise<Result<CassetteContent | null>> | null;
  lists: Map<string, readonly ListedTool[]>;
}

interface Finished {
  file: TestFile;
  tape: TrialTape;
  isComplete: boolean;
}

interface TapesSettings {
  mode: Exclude<CassetteMode, "off">;
  /** Whether failures that may pass are answers like any other. */
  replaysPassing: boolean;
  clock: Clock;
  /** Names of cases may hold secrets, too. */
  redactor: Redactor;
}

/** The tapes of a run and the files that they come from and go to. */
export class Tapes {
  readonly #mode: Exclude<CassetteMode, "off">;
  readonly #isFit: (entry: Entry) => boolean;
  readonly #clock: Clock;
  readonly #redactor: Redactor;
  readonly #files: ReadonlyMap<string, TestFile>;
  readonly #open = new Map<string, TrialTape>();
  #pending: Finished[] = [];
  #writing: Promise<void> = Promise.resolve();
  #writtenAt: number;
  #problem: KindlmError | null = null;

  constructor(plan: RunPlan, { mode, replaysPassing, clock, redactor }: TapesSettings) {
    this.#mode = mode;
    this.#isFit = replaysPassing ? () => true : isWorthReplaying;
    this.#clock = clock;
    this.#redactor = redactor;
    this.#files = indexFiles(plan, redactor.redact);
    this.#writtenAt = clock.monotonic();
  }

  async open(caseId: string, trial: number): Promise<Result<OpenTape>> {
    const file = this.#files.get(caseId) ?? unknownFile;
    const content = await this.#load(file);
    if (!content.success) return content;
    const id = idOf(caseId, trial);
    const shownId = this.#redactor.redact(caseId);
    const recorded = content.data?.cases.get(shownId)?.get(trial) ?? [];
    const tape = this.#open.get(id) ?? createTrialTape(caseId, trial, recorded, this.#isFit);
    this.#open.set(id, tape);
    const asker = { caseId: shownId, trial, file: file.place.shown };
    return success({ tape, content: content.data, asker });
  }

  /** Keeps what a source said of its tools. */
  keepList(caseId: string, source: string, tools: readonly ListedTool[]): void {
    this.#files.get(caseId)?.lists.set(source, tools);
  }

  /**
   * Takes note that a trial is over; what it recorded is written down soon. Of one that was only judged again, what its
   * judges said is put to the recordings that are there; a mode that replaces those leaves them as they are.
   */
  finish({ caseId, trial, status, error }: TrialResult, origin: TrialOrigin): void {
    const id = idOf(caseId, trial);
    const tape = this.#open.get(id);
    const file = this.#files.get(caseId);
    this.#open.delete(id);
    if (tape === undefined || file === undefined || this.#mode === "replay") return;
    if (!tape.hasNew && file.lists.size === 0) return;
    if (origin === "rescore" && this.#mode === "record") return;
    // A recording that broke off must not take the place of a whole one.
    if (error?.code === "ENGINE_ABORTED" && this.#mode === "record") return;
    this.#pending.push({ file, tape, isComplete: status !== "errored" && origin === "run" });
    if (this.#clock.monotonic() - this.#writtenAt >= longestWaitMs) void this.#flush();
  }

  /** Resolves when everything is written, with the first error that kept something from it. */
  async close(): Promise<KindlmError | null> {
    await this.#flush();
    return this.#problem;
  }

  #load(file: TestFile): Promise<Result<CassetteContent | null>> {
    file.loading ??= this.#mode === "record" ? Promise.resolve(success(null)) : loadCassette(file.place);
    return file.loading;
  }

  #flush(): Promise<void> {
    const finished = this.#pending;
    this.#pending = [];
    this.#writtenAt = this.#clock.monotonic();
    if (finished.length > 0) this.#writing = this.#writing.then(() => this.#write(finished));
    return this.#writing;
  }

  async #write(finished: readonly Finished[]): Promise<void> {
    const ports = { clock: this.#clock, redactor: this.#redactor };
    const { redact } = this.#redactor;
    for (const file of new Set(finished.map((one) => one.file))) {
      const trials = finished.filter((one) => one.file === file);
      // One file after the other is fast enough, and easy on the disk.
      const changed = await changeCassette(file.place, ports, (present) =>
        updated(present, file, trials, { mode: this.#mode, redact }),
      );
      if (!changed.success) this.#problem ??= changed.error;
    }
  }
}

function idOf(caseId: string, trial: number): string {
  return `${trial}\n${caseId}`;
}

const unknownFile: TestFile = {
  place: { path: "", shown: "" },
  suite: "",
  test: "",
  runs: new Map(),
  loading: Promise.resolve(success(null)),
  lists: new Map(),
};

/** The file of each case. */
function indexFiles(plan: RunPlan, redact: (text: string) => string): ReadonlyMap<string, TestFile> {
  const byCase = new Map<string, TestFile>();
  const byPath = new Map<string, TestFile>();
  for (const { id, suite, test, runs } of plan.cases()) {
    const below = join(cassetteFolder, cassettePath(redact(suite), redact(test.name)));
    let file = byPath.get(below);
    if (file === undefined) {
      const place = { path: join(plan.root, below), shown: below.replaceAll("\\", "/") };
      file = { place, suite: redact(suite), test: redact(test.name), runs: new Map(), loading: null, lists: new Map() };
      byPath.set(below, file);
    }
    file.runs.set(id, runs);
    byCase.set(id, file);
  }
  return byCase;
}

/** A failure that may pass is asked for again; what a tool itself calls a failure is an answer like any other. */
function isWorthReplaying(entry: Entry): boolean {
  if ("exchange" in entry) return entry.passing !== true;
  const { failure, timedOut } = entry;
  return timedOut !== true && (failure === undefined || /^(?:logical|validation)$/.test(failure.errorType));
}

/** The file with what the trials recorded in place of what they had recorded before. */
function updated(
  present: CassetteContent | null,
  file: TestFile,
  trials: readonly Finished[],
  { mode, redact }: { mode: CassetteMode; redact(text: string): string },
): CassetteContent {
  const content = present ?? emptyCassette(file.suite, file.test);
  for (const [source, list] of file.lists) content.lists.set(source, list);
  for (const { tape, isComplete } of trials) {
    const { caseId, trial } = tape;
    const id = redact(caseId);
    const ofCase = content.cases.get(id) ?? new Map<number, Entry[]>();
    content.cases.set(id, ofCase);
    // What was paid for is kept until a trial has shown that it needs it no more.
    const left = mode === "auto" && !isComplete ? tape.leftOver() : [];
    const entries = [...tape.entries(), ...left].map((entry) => (entry.case === id ? entry : { ...entry, case: id }));
    ofCase.set(trial, numbered(entries));
    for (const [key, request] of tape.requests) content.requests.set(key, request);
    const runs = file.runs.get(caseId) ?? trial;
    if (mode === "record") for (const old of ofCase.keys()) if (old > runs) ofCase.delete(old);
  }
  return content;
}

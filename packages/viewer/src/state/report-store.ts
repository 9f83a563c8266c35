import type { ComponentType } from "preact";
import { computed, effect, signal, type ReadonlySignal } from "@preact/signals";
import { openedTrial } from "../logic/group-trials.js";
import { createHaystack, selectCases } from "../logic/select-cases.js";
import { parseFragment, renderFragment, startState, type View, type ViewState } from "../logic/view-state.js";
import type { ReportCase, ReportIndex, ReportSource } from "../report-data.js";
import type { ReportDetail, ReportTrial } from "../report-detail.js";
import { describeProblem } from "../parse-report.js";
import { ChunkCache } from "./chunk-cache.js";
import type { LabelStore } from "./label-store.js";
import type { TranscriptSearch } from "./search.js";
import { Settings } from "./settings.js";
import { openStorage, type Keep } from "./storage.js";

/** Browsers refuse addresses that change many times a second, as they would while someone types. */
const addressDelayMs = 200;

export interface OpenCase {
  place: number;
  case: ReportCase;
  /** Null while it is read. */
  detail: ReportDetail | null;
  problem: string | null;
}

/** What the page of a file has in addition to the cases of a run. A server leaves it out. */
export interface ReportExtras {
  labels: LabelStore;
  search: TranscriptSearch;
  LabelPanel: ComponentType<{ store: FullStore; caseId: string; trial: ReportTrial }>;
}

export type OpenExtras = (index: ReportIndex, chunks: ChunkCache, storage: Keep) => ReportExtras;

export interface FullStore extends ReportStore {
  extras: ReportExtras;
}

export function isFull(store: ReportStore): store is FullStore {
  return store.extras !== null;
}

/** Whether a person labels a sample, and sees no verdicts meanwhile. */
export function isSamplingIn({ extras, settings }: ReportStore): boolean {
  return extras !== null && extras.labels.sample.value !== null && settings.isBlind.value;
}

/** Takes the last label back, and says so. */
export function undoLabel(store: FullStore): void {
  store.announce(store.extras.labels.undo() ? "The last label was taken back" : "There is no label to take back");
}

const nothing: ReadonlySet<string> = new Set();

/** The state of a page: what is selected, what was read, and what a person did. */
export class ReportStore {
  readonly index: ReportIndex;
  readonly view = signal<ViewState>(startState);
  readonly settings: Settings;
  readonly extras: ReportExtras | null;
  readonly chunks: ChunkCache;
  /** The places of the cases that the filters show. */
  readonly shown: ReadonlySignal<readonly number[]>;
  readonly open = signal<OpenCase | null>(null);
  /** The trial that is shown of the case that is open. */
  readonly trial: ReadonlySignal<ReportTrial | null>;
  readonly areCollapsed = signal(false);
  /** What a screen reader is to say. */
  readonly announced = signal("");
  /** The dialog that is open. */
  readonly dialog = signal<"help" | "labels" | null>(null);
  readonly #placeOf: ReadonlyMap<string, number>;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(index: ReportIndex, source: ReportSource, openExtras: OpenExtras | null) {
    const { cases, chunkSize } = index;
    const storage = openStorage();
    this.index = index;
    this.settings = new Settings(storage);
    this.chunks = new ChunkCache(source, chunkSize);
    this.extras = openExtras?.(index, this.chunks, storage) ?? null;
    this.#placeOf = new Map(cases.map(({ id }, place) => [id, place]));
    const haystack = createHaystack(index);
    const { extras } = this;
    this.shown = computed(() => {
      const found = extras?.search.progress.value?.found ?? null;
      return selectCases(index, this.view.value, haystack, { found, labeled: extras?.labels.cases.value ?? nothing });
    });
    this.trial = computed(() => {
      const { value: open } = this.open;
      if (open === null || open.detail === null) return null;
      return openedTrial(open.detail.trials, this.view.value.trial, open.case.shownTrial);
    });
  }

  /** Follows the address, and has it follow. */
  start(): void {
    this.view.value = parseFragment(location.hash);
    addEventListener("hashchange", () => {
      clearTimeout(this.#timer);
      const isOwn = location.hash.slice(1) === renderFragment(this.view.peek());
      if (!isOwn) this.view.value = parseFragment(location.hash);
    });
    const opened = computed(() => this.view.value.case);
    const searched = computed(() => this.view.value.text);
    effect(() => void this.#read(opened.value));
    effect(() => void this.extras?.search.start(searched.value));
  }

  /** Selects something else. What a person goes back from makes its own entry in the history. */
  go(change: Partial<ViewState>, { isStep = true }: { isStep?: boolean } = {}): void {
    this.view.value = { ...this.view.peek(), ...change };
    clearTimeout(this.#timer);
    if (isStep) this.#writeAddress(isStep);
    else this.#timer = setTimeout(() => this.#writeAddress(isStep), addressDelayMs);
  }

  /** Goes to another view, with the case that is open if that is one of this run. */
  show(view: View): void {
    const { case: open } = this.view.peek();
    this.go({ view, ...(this.placeOf(open) === -1 ? { case: null, trial: null } : {}) });
  }

  /** Opens the case of this place in the run. */
  openCase(place: number, options?: { isStep?: boolean }): void {
    const id = this.index.cases[place]?.id;
    if (id !== undefined) this.go({ view: "cases", case: id, trial: null }, options);
  }

  placeOf(id: string | null): number {
    return id === null ? -1 : (this.#placeOf.get(id) ?? -1);
  }

  announce(text: string): void {
    this.announced.value = text;
  }

  #writeAddress(isStep: boolean): void {
    const fragment = `#${renderFragment(this.view.peek())}`;
    if (fragment === location.hash || (fragment === "#" && location.hash === "")) return;
    if (isStep) location.hash = fragment;
    else history.replaceState(null, "", fragment);
  }

  async #read(id: string | null): Promise<void> {
    const place = this.placeOf(id);
    const one = this.index.cases[place];
    if (one === undefined) {
      this.open.value = null;
      return;
    }
    if (this.open.peek()?.place === place) return;
    const isCurrent = (): boolean => this.placeOf(this.view.peek().case) === place;
    const read = this.chunks.detail(place).then(
      (detail) => ({ detail, problem: null }),
      (problem: unknown) => ({ detail: null, problem: describeProblem(problem) }),
    );
    // What is read in a moment takes the place of what was open without a flicker.
    const waiting = setTimeout(() => {
      if (isCurrent()) this.open.value = { place, case: one, detail: null, problem: null };
    }, 100);
    const outcome = await read;
    clearTimeout(waiting);
    if (isCurrent()) this.open.value = { place, case: one, ...outcome };
  }
}

import { computed, signal } from "@preact/signals";
import {
  emptyBook,
  labelAt,
  labeledCases,
  readLabels,
  storeLabels,
  undone,
  withLabel,
  type Label,
  type LabelBook,
  type LabelPlace,
} from "../logic/label-book.js";
import type { SampledTrial } from "../logic/sample-trials.js";
import { readKept, writeKept, type Keep } from "./storage.js";

/** The labels of a run, which outlast the page where the browser keeps anything. */
export class LabelStore {
  readonly book = signal<LabelBook>(emptyBook);
  /** False where they are gone with the page. */
  readonly isKept = signal(true);
  /** IDs of the cases that have a label. */
  readonly cases = computed(() => labeledCases(this.book.value));
  readonly count = computed(() => this.book.value.labels.size);
  /** The trials of a sample, and which of them is open; null without one. */
  readonly sample = signal<{ trials: readonly SampledTrial[]; at: number } | null>(null);
  /** Trials whose judges a person wanted to see before the label. */
  readonly #revealed = signal<ReadonlySet<string>>(new Set());
  readonly #storage: Keep;
  readonly #key: string;

  constructor(storage: Keep, runId: string) {
    this.#storage = storage;
    this.#key = `kindlm-labels ${runId}`;
    this.isKept.value = storage !== null;
    this.book.value = readLabels(readKept(storage, this.#key));
    // Another window with the same report.
    addEventListener("storage", (event) => {
      if (event.key === this.#key) this.book.value = readLabels(readKept(storage, this.#key));
    });
  }

  at(place: LabelPlace): Label | null {
    return labelAt(this.book.value, place);
  }

  change(place: LabelPlace, change: Partial<Pick<Label, "verdict" | "score" | "note">>): void {
    this.#save(withLabel(this.book.peek(), place, change));
  }

  undo(): boolean {
    const before = this.book.peek();
    this.#save(undone(before));
    return before !== this.book.peek();
  }

  reveal(id: string, trial: number): void {
    this.#revealed.value = new Set([...this.#revealed.peek(), `${id} ${trial}`]);
  }

  /** Whether a person may see what the judges said: the label is there, or was not wanted. */
  isRevealed(id: string, trial: number): boolean {
    if (this.#revealed.value.has(`${id} ${trial}`)) return true;
    for (const label of this.book.value.labels.values())
      if (label.case === id && label.trial === trial && (label.verdict !== null || label.score !== null)) return true;
    return false;
  }

  #save(book: LabelBook): void {
    this.book.value = book;
    this.isKept.value = writeKept(this.#storage, this.#key, storeLabels(book));
  }
}

import { useSignal } from "@preact/signals";
import { judgesOf } from "../logic/export-labels.js";
import { parseScore, type Label, type LabelPlace } from "../logic/label-book.js";
import type { ReportTrial } from "../report-detail.js";
import { undoLabel, type FullStore } from "../state/report-store.js";

/** Where a person says what they think of a trial. */
export function LabelPanel({ store, caseId, trial }: { store: FullStore; caseId: string; trial: ReportTrial }) {
  const { labels } = store.extras;
  const judges = judgesOf(trial.assertions);
  const names = judges.length > 1 ? judges.map(({ name }) => name) : [null];
  return (
    <section class={`label ${labels.sample.value === null ? "" : "stays"}`} aria-label="Your label">
      {names.map((judge) => (
        <LabelForm
          key={`${caseId} ${trial.trial} ${judge}`}
          store={store}
          place={{ case: caseId, trial: trial.trial, judge }}
          isFirst={judge === names[0]}
        />
      ))}
      {labels.isKept.value ? null : (
        <p class="problem" role="alert">
          This browser keeps no data for this page. Export your labels before you close it.
        </p>
      )}
      <SampleSteps store={store} />
    </section>
  );
}

interface FormProps {
  store: FullStore;
  place: LabelPlace;
  /** Whether the keys are for this one. */
  isFirst: boolean;
}

function LabelForm({ store, place, isFirst }: FormProps) {
  const { labels } = store.extras;
  const label = labels.at(place);
  const set = (verdict: NonNullable<Label["verdict"]>): void =>
    labels.change(place, { verdict: label?.verdict === verdict ? null : verdict });
  return (
    <div class="form" role="group" aria-label={place.judge === null ? "Label" : `Label for judge ${place.judge}`}>
      <b>{place.judge === null ? "Your label" : place.judge}</b>
      <button type="button" class="passed" aria-pressed={label?.verdict === "pass"} onClick={() => set("pass")}>
        <span aria-hidden="true">✓</span> Pass {isFirst ? <kbd>p</kbd> : null}
      </button>
      <button type="button" class="failed" aria-pressed={label?.verdict === "fail"} onClick={() => set("fail")}>
        <span aria-hidden="true">✗</span> Fail {isFirst ? <kbd>f</kbd> : null}
      </button>
      <ScoreField value={label?.score ?? null} onChange={(score) => labels.change(place, { score })} />
      <input
        class="note"
        aria-label="Note"
        placeholder="Note"
        value={label?.note ?? ""}
        onInput={(event) => labels.change(place, { note: event.currentTarget.value })}
      />
      <button type="button" disabled={labels.book.value.undo.length === 0} onClick={() => undoLabel(store)}>
        Undo {isFirst ? <kbd>u</kbd> : null}
      </button>
    </div>
  );
}

function ScoreField({ value, onChange }: { value: number | null; onChange(score: number | null): void }) {
  const typed = useSignal<string | null>(null);
  const text = typed.value ?? (value === null ? "" : String(value));
  const isWrong = text.trim() !== "" && parseScore(text) === null;
  return (
    <input
      class="score"
      aria-label="Score from 0 to 1"
      placeholder="Score 0–1"
      inputMode="decimal"
      value={text}
      aria-invalid={isWrong}
      onInput={(event) => {
        typed.value = event.currentTarget.value;
        const score = parseScore(typed.value);
        if (score !== null || typed.value.trim() === "") onChange(score);
      }}
      onBlur={() => {
        if (!isWrong) typed.value = null;
      }}
    />
  );
}

/** The way through a sample. */
function SampleSteps({ store }: { store: FullStore }) {
  const { sample } = store.extras.labels;
  if (sample.value === null) return null;
  const { trials, at } = sample.value;
  return (
    <p class="sample">
      <b>
        Sample: {at + 1} of {trials.length}
      </b>
      <button type="button" disabled={at === 0} onClick={() => openSampled(store, at - 1)}>
        Previous
      </button>
      <button type="button" disabled={at === trials.length - 1} onClick={() => openSampled(store, at + 1)}>
        Next
      </button>
      <button type="button" onClick={() => (sample.value = null)}>
        End sample
      </button>
    </p>
  );
}

/** Opens a trial of the sample by its place in it. */
export function openSampled(store: FullStore, at: number): void {
  const { index, extras } = store;
  const { labels } = extras;
  const { value: sample } = labels.sample;
  const wanted = sample?.trials[at];
  const id = wanted === undefined ? undefined : index.cases[wanted.case]?.id;
  if (sample === null || wanted === undefined || id === undefined) return;
  labels.sample.value = { ...sample, at };
  store.go({ view: "cases", case: id, trial: wanted.trial });
}

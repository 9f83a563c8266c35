import { plural } from "../../../core/src/values/plural.js";
import { useSignal } from "@preact/signals";
import { exportLabel } from "../logic/export-labels.js";
import { judgedTrials, sampleTrials, type SampledTrial } from "../logic/sample-trials.js";
import { describeProblem, parseDetail } from "../parse-report.js";
import type { FullStore } from "../state/report-store.js";
import { CopyButton } from "./copy-button.js";
import { Dialog } from "./dialog.js";
import { openSampled } from "./label-panel.js";

interface Exported {
  text: string;
  count: number;
  /** Labels that calibration cannot use. */
  left: number;
}

/** Everything about labels that is not about a single trial. */
export function LabelsDialog({ store }: { store: FullStore }) {
  const { settings, extras } = store;
  const { labels } = extras;
  return (
    <Dialog title="Labels" onClose={() => (store.dialog.value = null)}>
      <p>
        Say what you think of a trial, then compare it with what a judge said. You have labeled{" "}
        <b>{plural(labels.count.value, "trial")}</b> of this run.{" "}
        {labels.isKept.value
          ? "Labels are kept in this browser."
          : "This browser keeps no data for this page: export your labels before you close it."}
      </p>
      <label class="check">
        <input
          type="checkbox"
          checked={settings.isBlind.value}
          onChange={(event) => (settings.isBlind.value = event.currentTarget.checked)}
        />
        <span>Hide what judges said until I have labeled the trial</span>
      </label>
      <Sample store={store} />
      <Export store={store} />
    </Dialog>
  );
}

const sampleSize = 50;

function Sample({ store }: { store: FullStore }) {
  const isReading = useSignal(false);
  const problem = useSignal<string | null>(null);
  const draw = async (): Promise<void> => {
    isReading.value = true;
    const judged = await readJudged(store).catch(describeProblem);
    isReading.value = false;
    if (typeof judged === "string" || judged.length === 0) {
      problem.value =
        typeof judged === "string" ? judged : "No trial of this run was judged, so there is none to sample.";
      return;
    }
    store.extras.labels.sample.value = { trials: sampleTrials(judged, store.index.head.runId, sampleSize), at: 0 };
    store.dialog.value = null;
    openSampled(store, 0);
  };
  return (
    <>
      <h3>Sample</h3>
      <p class="meta">
        Up to {sampleSize} trials, half of which passed their judges, as far as there are so many. How they ended is
        hidden.
      </p>
      <p>
        <button type="button" aria-disabled={isReading.value} onClick={() => void draw()}>
          {isReading.value ? "Reading…" : "Draw a sample"}
        </button>
      </p>
      {problem.value === null ? null : (
        <p class="dim" role="status">
          {problem.value}
        </p>
      )}
    </>
  );
}

/** All trials that were judged. The page stays usable while it reads. */
async function readJudged({ chunks, index }: FullStore): Promise<readonly SampledTrial[]> {
  const { cases, chunkSize } = index;
  const found: SampledTrial[] = [];
  for (let chunk = 0; chunk * chunkSize < cases.length; chunk += 1) {
    const lines = (await chunks.passing(chunk)).split("\n");
    lines.forEach((line, at) => {
      if (line.includes('"judge"')) found.push(...judgedTrials(parseDetail(line), chunk * chunkSize + at));
    });
    await new Promise((resolve) => setTimeout(resolve));
  }
  return found;
}

function Export({ store }: { store: FullStore }) {
  const exported = useSignal<Exported | null>(null);
  const file = `labels-${store.index.head.runId}.jsonl`;
  return (
    <>
      <h3>Export</h3>
      <p>
        <button
          type="button"
          class="primary"
          disabled={store.extras.labels.count.value === 0}
          onClick={() => void exportAll(store).then((made) => (exported.value = made))}
        >
          Export as JSON Lines
        </button>
      </p>
      {exported.value === null ? null : (
        <div class="exported">
          <p role="status">
            {plural(exported.value.count, "label")} in {file}.
            {exported.value.left === 0
              ? ""
              : ` ${plural(exported.value.left, "label")} left out: a note alone, or a trial without its transcript.`}
          </p>
          {exported.value.count === 0 ? null : (
            <p>
              <a class="button" download={file} href={downloadOf(exported.value.text)}>
                Download
              </a>{" "}
              <CopyButton label="Copy" text={exported.value.text} store={store} />
            </p>
          )}
          <p class="meta">
            Then:{" "}
            <code>
              {store.index.head.program} judge calibrate {file}
            </code>
          </p>
        </div>
      )}
    </>
  );
}

/** A link to the text; pages without a network can make one for what they hold. */
function downloadOf(text: string): string {
  return URL.createObjectURL(new Blob([text], { type: "application/jsonl" }));
}

/** The labels as calibration reads them, in the order of the run. */
async function exportAll(store: FullStore): Promise<Exported> {
  const { index, chunks, extras } = store;
  const { labels } = extras;
  const placed = [...labels.book.peek().labels.values()]
    .map((label) => ({ label, place: store.placeOf(label.case) }))
    .toSorted((a, b) => a.place - b.place || a.label.trial - b.label.trial);
  const lines: string[] = [];
  for (const { label, place } of placed) {
    const trials = place === -1 ? [] : (await chunks.detail(place)).trials;
    const trial = trials.find((one) => one.trial === label.trial);
    const line = trial === undefined ? null : exportLabel(label, trial, index.head.runId);
    if (line !== null) lines.push(line);
  }
  return { text: lines.map((line) => `${line}\n`).join(""), count: lines.length, left: placed.length - lines.length };
}

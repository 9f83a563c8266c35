import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { diffLists } from "../../../core/src/values/diff-lists.js";
import type { ComparedRow, Contrast } from "../logic/compare-cases.js";
import { describeCalls, openedTrial } from "../logic/group-trials.js";
import { describeProblem } from "../parse-report.js";
import type { ReportStore } from "../state/report-store.js";
import { DiffLines } from "./diff-lines.js";

interface Calls {
  before: readonly string[];
  after: readonly string[];
}

/** The calls of a case on both sides, line by line as in the terminal. */
export function CallDiff({ store, row, contrast }: { store: ReportStore; row: ComparedRow; contrast: Contrast }) {
  const calls = useSignal<Calls | string | null>(row.calls);
  useEffect(() => {
    if (contrast.comparison !== null) return;
    const read = Promise.all([callsOf(store, row.beforeCase), callsOf(store, row.afterCase)]);
    read.then(
      ([before, after]) => (calls.value = { before, after }),
      (problem: unknown) => (calls.value = describeProblem(problem)),
    );
  }, []);
  const { value } = calls;
  return (
    <article>
      <h2>
        <code>{row.id}</code>
      </h2>
      <p class="actions">
        {row.beforeCase === null ? null : <OpenButton store={store} place={row.beforeCase} side={contrast.before} />}
        {row.afterCase === null ? null : <OpenButton store={store} place={row.afterCase} side={contrast.after} />}
      </p>
      <h3>Calls</h3>
      {typeof value === "string" ? (
        <p class="problem">{value}</p>
      ) : value === null ? (
        <p class="nothing">
          {contrast.comparison === null
            ? "Reading…"
            : "The calls are the same, or those of the other side are not known."}
        </p>
      ) : (
        <Diff calls={value} contrast={contrast} />
      )}
    </article>
  );
}

function OpenButton({ store, place, side }: { store: ReportStore; place: number; side: string }) {
  return (
    <button type="button" onClick={() => store.openCase(place)}>
      Open the case: {side}
    </button>
  );
}

function Diff({ calls: { before, after }, contrast }: { calls: Calls; contrast: Contrast }) {
  const lines = diffLists(before, after);
  if (lines.length === 0) return <p class="nothing">No tool was called on either side.</p>;
  if (lines.every(({ side }) => side === "both"))
    return <p class="nothing">Both sides made the same calls in the same order.</p>;
  return (
    <>
      <p class="meta">
        <span class="failed">− {contrast.before}</span>
        <span class="passed">+ {contrast.after}</span>
      </p>
      <DiffLines lines={lines} sides={contrast} />
    </>
  );
}

async function callsOf({ chunks, index }: ReportStore, place: number | null): Promise<readonly string[]> {
  const one = place === null ? undefined : index.cases[place];
  if (place === null || one === undefined) return [];
  const trial = openedTrial((await chunks.detail(place)).trials, null, one.shownTrial);
  return trial === null ? [] : describeCalls(trial);
}

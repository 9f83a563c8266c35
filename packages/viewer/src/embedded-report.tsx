import { effect } from "@preact/signals";
import { inflate } from "./inflate.js";
import { mountReport } from "./mount-report.js";
import { Announcer, CasesView } from "./parts/cases-view.js";
import { CompareView } from "./parts/compare-view.js";
import { HelpDialog } from "./parts/help-dialog.js";
import { LabelPanel } from "./parts/label-panel.js";
import { LabelsDialog } from "./parts/labels-dialog.js";
import { RunView } from "./parts/run-view.js";
import { TopBar } from "./parts/top-bar.js";
import { LabelStore } from "./state/label-store.js";
import { isFull, type ReportStore } from "./state/report-store.js";
import { TranscriptSearch } from "./state/search.js";

/**
 * The page as it is in a file: its data is in inert scripts of that file, `report-index` and `report-chunk-0` and on. It
 * appears in `report`, in place of a summary for readers whose server allows no scripts.
 */
async function start(root: Element): Promise<void> {
  const source = {
    readIndex: () => inflate("report-index"),
    readChunk: (number: number) => inflate(`report-chunk-${number}`),
  };
  const store = await mountReport(root, source, {
    Page: Report,
    openExtras: ({ head, cases, chunkSize }, chunks, storage) => ({
      labels: new LabelStore(storage, head.runId),
      search: new TranscriptSearch(chunks, chunkSize, cases.length),
      LabelPanel,
    }),
  });
  if (store === null) return;
  effect(() => {
    const { case: open, view } = store.view.value;
    const { head } = store.index;
    document.title = `${open ?? (view === "cases" ? "" : `${view} `)}${open === null ? "" : " · "}${head.project ?? "KindLM"} ${head.verdict}`;
  });
}

function Report({ store }: { store: ReportStore }) {
  const { view, dialog } = store;
  return (
    <>
      {isFull(store) ? <TopBar store={store} /> : null}
      {view.value.view === "cases" ? (
        <main class="whole">
          <CasesView store={store} />
        </main>
      ) : null}
      {view.value.view === "compare" ? <CompareView store={store} /> : null}
      {view.value.view === "run" ? <RunView store={store} /> : null}
      {dialog.value === "help" ? <HelpDialog store={store} /> : null}
      {dialog.value === "labels" && isFull(store) ? <LabelsDialog store={store} /> : null}
      <Announcer store={store} />
    </>
  );
}

const root = document.getElementById("report");
if (root !== null) void start(root);

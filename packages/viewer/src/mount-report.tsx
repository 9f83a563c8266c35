import { effect } from "@preact/signals";
import { render } from "preact";
import { CaseDetail } from "./parts/case-detail.js";
import { CaseList } from "./parts/case-list.js";
import { CompareView } from "./parts/compare-view.js";
import { FilterBar } from "./parts/filter-bar.js";
import { HelpDialog } from "./parts/help-dialog.js";
import { LabelsDialog } from "./parts/labels-dialog.js";
import { Overview } from "./parts/overview.js";
import { RunView } from "./parts/run-view.js";
import { TopBar } from "./parts/top-bar.js";
import { describeProblem, parseIndex } from "./parse-report.js";
import type { ReportSource } from "./report-data.js";
import { listenToKeys } from "./state/key-commands.js";
import { ReportStore } from "./state/report-store.js";

/** Shows a report in an element, in place of what it contains. */
export async function mountReport(root: Element, source: ReportSource): Promise<void> {
  const read = await source
    .readIndex()
    .then(parseIndex)
    .then(
      (index) => ({ store: new ReportStore(index, source) }),
      (problem: unknown) => ({ problem: describeProblem(problem) }),
    );
  if ("problem" in read) {
    // What was there before, such as a summary, stays: it is more than nothing.
    const notice = document.createElement("p");
    notice.className = "problem";
    notice.setAttribute("role", "alert");
    notice.textContent = `This report cannot be shown. ${read.problem}`;
    root.prepend(notice);
    return;
  }
  const { store } = read;
  store.start();
  listenToKeys(store);
  effect(() => {
    const { case: open, view } = store.view.value;
    const { head } = store.index;
    document.title = `${open ?? (view === "cases" ? "" : `${view} `)}${open === null ? "" : " · "}${head.project ?? "KindLM"} ${head.verdict}`;
  });
  root.replaceChildren();
  render(<Report store={store} />, root);
}

function Report({ store }: { store: ReportStore }) {
  const { view, dialog, announced } = store;
  return (
    <>
      <TopBar store={store} />
      {view.value.view === "cases" ? <CasesView store={store} /> : null}
      {view.value.view === "compare" ? <CompareView store={store} /> : null}
      {view.value.view === "run" ? <RunView store={store} /> : null}
      {dialog.value === "help" ? <HelpDialog store={store} /> : null}
      {dialog.value === "labels" ? <LabelsDialog store={store} /> : null}
      <p class="sr" role="status">
        {announced.value}
      </p>
    </>
  );
}

function CasesView({ store }: { store: ReportStore }) {
  const { open, view } = store;
  const wanted = view.value.case;
  return (
    <>
      <FilterBar store={store} />
      <main class={`split ${wanted === null ? "" : "has-open"}`}>
        <CaseList store={store} />
        <section class="pane detail-pane" aria-label="Details">
          {wanted !== null && store.placeOf(wanted) === -1 ? (
            <p class="problem">This report has no case {wanted}.</p>
          ) : open.value === null ? (
            <Overview store={store} />
          ) : (
            <CaseDetail store={store} open={open.value} />
          )}
        </section>
      </main>
    </>
  );
}

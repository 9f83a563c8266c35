import type { ReportStore } from "../state/report-store.js";
import { CaseDetail } from "./case-detail.js";
import { CaseList } from "./case-list.js";
import { FilterBar } from "./filter-bar.js";
import { Overview } from "./overview.js";

/** The list of cases, and the one that is open next to it. */
export function CasesView({ store }: { store: ReportStore }) {
  const { open, view } = store;
  const wanted = view.value.case;
  return (
    <>
      <FilterBar store={store} />
      <div class={`split ${wanted === null ? "" : "has-open"}`}>
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
      </div>
    </>
  );
}

/** What screen readers say when something happened. */
export function Announcer({ store }: { store: ReportStore }) {
  return (
    <p class="sr" role="status">
      {store.announced.value}
    </p>
  );
}

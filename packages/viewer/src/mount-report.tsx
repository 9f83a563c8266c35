import { render, type ComponentType } from "preact";
import { describeProblem, parseIndex } from "./parse-report.js";
import type { ReportSource } from "./report-data.js";
import { listenToKeys } from "./state/key-commands.js";
import { ReportStore, type OpenExtras } from "./state/report-store.js";

interface ReportPage {
  /** Null for a page without labels and search. */
  openExtras: OpenExtras | null;
  Page: ComponentType<{ store: ReportStore }>;
}

/** Shows a report in an element, in place of what it contains. Null if its data cannot be read, which the element then says. */
export async function mountReport(
  root: Element,
  source: ReportSource,
  { openExtras, Page }: ReportPage,
): Promise<ReportStore | null> {
  const read = await source
    .readIndex()
    .then(parseIndex)
    .then(
      (index) => ({ store: new ReportStore(index, source, openExtras) }),
      (problem: unknown) => ({ problem: describeProblem(problem) }),
    );
  if ("problem" in read) {
    // What was there before, such as a summary, stays: it is more than nothing.
    const notice = document.createElement("p");
    notice.className = "problem";
    notice.setAttribute("role", "alert");
    notice.textContent = `This report cannot be shown. ${read.problem}`;
    root.prepend(notice);
    return null;
  }
  const { store } = read;
  store.start();
  listenToKeys(store);
  root.replaceChildren();
  render(<Page store={store} />, root);
  return store;
}

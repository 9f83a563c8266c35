import { signal } from "@preact/signals";
import { render } from "preact";
import { parseIndex } from "./parse-report.js";
import type { ReportIndex, ReportSource } from "./report-data.js";

/** Shows a report in an element, in place of what it contains. */
export async function mountReport(root: Element, source: ReportSource): Promise<void> {
  const index = signal(parseIndex(await source.readIndex()));
  root.replaceChildren();
  render(<Report index={index.value} />, root);
}

function Report({ index: { head, cases } }: { index: ReportIndex }) {
  return (
    <main>
      <h1>{head.project ?? head.runId}</h1>
      <ul>
        {cases.slice(0, 100).map(({ id, status }) => (
          <li key={id}>
            {status} {id}
          </li>
        ))}
      </ul>
    </main>
  );
}

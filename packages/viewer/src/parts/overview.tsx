import { percent } from "../../../core/src/values/percent.js";
import { renderDuration } from "../../../core/src/values/duration.js";
import { usd } from "../logic/format.js";
import { headline } from "../logic/headline.js";
import type { ReportIndex } from "../report-data.js";
import type { ReportStore } from "../state/report-store.js";
import { Causes, Gates, Kinds, Notes } from "./findings.js";
import { CaseId } from "./signs.js";

/** What a reader sees before a case is open: why the run came out as it did. */
export function Overview({ store }: { store: ReportStore }) {
  const { index } = store;
  const { head } = index;
  return (
    <article class="overview" aria-label="Overview">
      <h2>{headline(index)}</h2>
      <p class="meta">
        {head.passRate === null ? null : (
          <span>
            Pass rate <b>{percent(head.passRate)}</b>
            {head.interval === null ? "" : ` (${head.interval.map(percent).join(" to ")})`}
          </span>
        )}
        <span>{usd(head.costUsd)}</span>
        <span>{renderDuration(head.durationMs)}</span>
      </p>
      <Notes store={store} />
      <Gates store={store} areAll={false} />
      <Kinds store={store} />
      <Causes store={store} />
      <Slowest store={store} />
    </article>
  );
}

const mostSlow = 5;

function Slowest({ store }: { store: ReportStore }) {
  const { cases, suites } = store.index;
  const slow = slowestOf(store.index);
  if (slow.length === 0) return null;
  return (
    <section aria-label="Slowest cases">
      <h3>Slowest</h3>
      <ul class="plain slow">
        {slow.map((place) => {
          const one = cases[place];
          return one === undefined ? null : (
            <li key={one.id}>
              <button type="button" class="line" onClick={() => store.openCase(place)}>
                <span class="figure">{renderDuration(one.latencyMs)}</span>
                <code>
                  <CaseId id={one.id} suite={suites[one.suite]?.name ?? ""} />
                </code>
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

const slowest = new WeakMap<ReportIndex, readonly number[]>();

/** The places of the slowest cases, which are found once. */
function slowestOf(index: ReportIndex): readonly number[] {
  const known = slowest.get(index);
  if (known !== undefined) return known;
  const found = index.cases
    .map(({ latencyMs }, place) => ({ latencyMs, place }))
    .filter(({ latencyMs }) => latencyMs > 0)
    .toSorted((a, b) => b.latencyMs - a.latencyMs)
    .slice(0, mostSlow)
    .map(({ place }) => place);
  slowest.set(index, found);
  return found;
}

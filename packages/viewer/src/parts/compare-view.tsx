import { plural, renderCount } from "../../../core/src/values/plural.js";
import type { ComparedSuite } from "@kindlm/core";
import { useMemo } from "preact/hooks";
import { points } from "../../../core/src/values/percent.js";
import { renderDuration } from "../../../core/src/values/duration.js";
import {
  compareCases,
  contrastsOf,
  hasChanged,
  type ComparedRow,
  type ComparedSide,
  type Contrast,
} from "../logic/compare-cases.js";
import { usd } from "../logic/format.js";
import type { ReportStore } from "../state/report-store.js";
import { CallDiff } from "./call-diff.js";
import { DifferenceChart, differencesOf } from "./charts.js";
import { VirtualList } from "./virtual-list.js";

const verdicts = {
  regressed: { sign: "▼", word: "regressed", status: "failed" },
  inconclusive: { sign: "?", word: "inconclusive", status: "flaky" },
  ok: { sign: "=", word: "no change seen", status: "dim" },
};

/** The run next to its baseline or another run, or two of its models next to each other. */
export function CompareView({ store }: { store: ReportStore }) {
  const { index, view } = store;
  const contrasts = contrastsOf(index);
  const contrast = contrasts.find(({ key }) => key === view.value.with) ?? contrasts[0];
  const rows = useMemo(() => (contrast === undefined ? [] : compareCases(index, contrast)), [contrast?.key]);
  if (contrast === undefined) {
    return (
      <main class="single">
        <h2>Compare</h2>
        <p class="nothing">
          There is nothing to compare this run with. Save a baseline with <code>{index.head.program} baseline set</code>
          , open the report with <code>--compare</code> and the ID of another run, or test several models.
        </p>
      </main>
    );
  }
  const row = rows.find(({ id }) => id === view.value.case);
  return (
    <main class={`split compare ${row === undefined ? "" : "has-open"}`}>
      <ComparedList store={store} contrast={contrast} contrasts={contrasts} rows={rows} />
      <section class="pane detail-pane" aria-label="Comparison">
        {row === undefined ? (
          <Suites store={store} contrast={contrast} />
        ) : (
          <>
            <p class="actions">
              <button type="button" class="back" onClick={() => store.go({ case: null })}>
                ← All cases
              </button>
            </p>
            <CallDiff key={`${contrast.key} ${row.id}`} store={store} row={row} contrast={contrast} />
          </>
        )}
      </section>
    </main>
  );
}

interface ListProps {
  store: ReportStore;
  contrast: Contrast;
  contrasts: readonly Contrast[];
  rows: readonly ComparedRow[];
}

function ComparedList({ store, contrast, contrasts, rows }: ListProps) {
  const { all: areAll, case: open } = store.view.value;
  const shown = areAll ? rows : rows.filter(hasChanged);
  return (
    <section class="pane" aria-label="Compared cases">
      <div class="bar">
        <label>
          Compare with{" "}
          <select value={contrast.key} onChange={(event) => store.go({ with: event.currentTarget.value, case: null })}>
            {contrasts.map(({ key, label }) => (
              <option key={key} value={key}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={!areAll}
            onChange={(event) => store.go({ all: !event.currentTarget.checked })}
          />
          <span>Changed only</span>
        </label>
        <p role="status" class="count">
          {renderCount(shown.length)} of {plural(rows.length, "case")}
        </p>
      </div>
      <div class="columns" aria-hidden="true">
        {[contrast.before, contrast.after, "Points", "Cost", "Latency"].map((name) => (
          <span key={name}>{name}</span>
        ))}
      </div>
      {shown.length === 0 ? (
        <p class="nothing">No case changed.</p>
      ) : (
        <VirtualList
          label={`Cases: ${contrast.before} and ${contrast.after}`}
          count={shown.length}
          rowHeight={52}
          selected={shown.findIndex(({ id }) => id === open)}
          row={(at) => {
            const one = shown[at];
            return { className: "compared", children: one === undefined ? null : <ComparedCells row={one} /> };
          }}
          onSelect={(at, isStep) => store.go({ case: shown[at]?.id ?? null }, { isStep })}
        />
      )}
    </section>
  );
}

function ComparedCells({ row: { id, before, after, difference, reason } }: { row: ComparedRow }) {
  const { sign, status } = directionOf(difference);
  const why = reason ?? (before === null ? "new" : after === null ? "gone" : "no rate");
  return (
    <>
      <span class="id">{id}</span>
      <span class="figure">{sideText(before)}</span>
      <span class="figure">{sideText(after)}</span>
      <span class={`figure ${status}`}>{difference === null ? why : `${sign} ${points(difference)}`}</span>
      <span class="figure dim">{change(before?.costUsd, after?.costUsd, usd)}</span>
      <span class="figure dim">{change(before?.latencyMs, after?.latencyMs, renderDuration)}</span>
    </>
  );
}

function directionOf(difference: number | null): { sign: string; status: string } {
  if (difference === null) return { sign: "", status: "" };
  if (difference === 0) return { sign: "=", status: "dim" };
  return difference < 0 ? { sign: "▼", status: "failed" } : { sign: "▲", status: "passed" };
}

function sideText(side: ComparedSide | null): string {
  return side === null ? "–" : `${side.passes}/${side.counted}`;
}

function change(
  before: number | null | undefined,
  after: number | null | undefined,
  render: (value: number) => string,
): string {
  const text = (value: number | null | undefined): string =>
    value === null || value === undefined ? "–" : render(value);
  return text(before) === text(after) ? text(after) : `${text(before)} → ${text(after)}`;
}

/** What the statistics say of the whole. */
function Suites({ store, contrast }: { store: ReportStore; contrast: Contrast }) {
  const { comparison, before, after } = contrast;
  const suites = comparison?.suites ?? [];
  const between = store.index.differences.find(({ from, to }) => from === before && to === after);
  const isOfModels = comparison === null && between !== undefined;
  return (
    <>
      <h2>{comparison === null ? `${after} against ${before}` : `This run against ${contrast.label.toLowerCase()}`}</h2>
      <DifferenceChart
        title={isOfModels ? "Paired difference, 95% interval" : "Paired difference per suite, 95% interval"}
        rows={
          isOfModels ? [{ name: "all cases", mean: between.mean, interval: between.interval }] : differencesOf(suites)
        }
      />
      {isOfModels ? (
        <p class="meta">
          <span>{points(between.mean)} points</span>
          <span>p = {between.p.toFixed(3)}</span>
          <span>{plural(between.cases, "case")} that both have</span>
        </p>
      ) : null}
      <ul class="plain suites">
        {suites.map((one) => (
          <Suite key={one.suite} of={one} />
        ))}
      </ul>
      <p class="dim">Choose a case to see how its calls differ.</p>
    </>
  );
}

function Suite({ of }: { of: ComparedSuite }) {
  const { suite, verdict, p, agentChanges, added, removed, changedChecks, growth = [] } = of;
  const { sign, word, status } = verdicts[verdict];
  const counts = [
    added.length === 0 ? null : `${added.length} new`,
    removed.length === 0 ? null : `${removed.length} gone`,
    changedChecks.length === 0 ? null : `${changedChecks.length} asked or judged differently`,
    agentChanges.length === 0 ? null : `the agent changed: ${agentChanges.join(", ")}`,
  ];
  return (
    <li>
      <span class={status} aria-hidden="true">
        {sign}
      </span>{" "}
      <b>{suite}</b> {word}
      {p === null ? null : <span class="meta"> p = {p.toFixed(3)}</span>}
      <Looks taken={of.looks} />
      <Grown figures={growth} />
      <p class="meta">{counts.map((text) => (text === null ? null : <span key={text}>{text}</span>))}</p>
    </li>
  );
}

/** How many trials the comparison took to decide, where their number was not fixed. */
function Looks({ taken }: { taken: ComparedSuite["looks"] }) {
  if (taken === undefined) return null;
  const { looks, maxLooks, trials, fixedTrials } = taken;
  const saved = fixedTrials - trials;
  const difference = `${Math.abs(saved)} ${saved < 0 ? "more" : "fewer"} than a fixed number that finds as much`;
  const facts = [plural(trials, "trial"), `look ${looks} of ${maxLooks}`, ...(saved === 0 ? [] : [difference])];
  const shown = facts.map((fact) => <span key={fact}>{fact}</span>);
  return <p class="meta">{shown}</p>;
}

/** What takes more than in the baseline, beyond chance. */
function Grown({ figures }: { figures: NonNullable<ComparedSuite["growth"]> }) {
  const grown = figures.filter(({ hasGrown }) => hasGrown);
  if (grown.length === 0) return null;
  return (
    <p class="meta">
      <span>takes more:</span>
      {grown.map(({ name, ratio, interval }) => (
        <span key={name}>
          {name.replace("_", " ")} {growthText(ratio)}
          {interval === null ? "" : ` (${interval.map(growthText).join(" to ")})`}
        </span>
      ))}
    </p>
  );
}

function growthText(ratio: number | null): string {
  return ratio === null ? "unknown" : `${points(ratio - 1)}%`;
}

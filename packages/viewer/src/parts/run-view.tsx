import { renderCount } from "../../../core/src/values/plural.js";
import type { ComponentChildren } from "preact";
import { percent } from "../../../core/src/values/percent.js";
import { renderDuration } from "../../../core/src/values/duration.js";
import { moment, usd } from "../logic/format.js";
import { headline } from "../logic/headline.js";
import { statuses } from "../logic/view-state.js";
import type { ReportHead, ReportIndex } from "../report-data.js";
import type { ReportStore } from "../state/report-store.js";
import { ActivityChart } from "./activity-chart.js";
import { DifferenceChart, differencesOf, RateChart } from "./charts.js";
import { Causes, Gates, Notes } from "./findings.js";
import { Sign } from "./signs.js";

/** The run as a whole. */
export function RunView({ store }: { store: ReportStore }) {
  const { index } = store;
  const { head, models, providers, comparisons } = index;
  const compared = differencesOf(comparisons.flatMap(({ suites }) => suites));
  return (
    <main class="single run">
      <h2>
        <Sign status={head.verdict} /> {headline(index)}
      </h2>
      <Notes store={store} />
      <Summary head={head} />
      <Gates store={store} areAll />
      <div class="charts">
        <RateChart models={models} />
        <DifferenceChart title="Paired difference per suite, 95% interval" rows={compared} />
        {providers.map((provider) => (
          <ActivityChart key={provider.name} provider={provider} />
        ))}
      </div>
      <Suites store={store} />
      <Models models={models} />
      <Causes store={store} />
      <Warnings warnings={head.warnings} />
    </main>
  );
}

function Summary({ head }: { head: ReportHead }) {
  const { counts, passRate, interval, costUsd, durationMs, requests, retries, usage, latencyMs, startedAt } = head;
  const figures: readonly (readonly [string, string])[] = [
    ...(passRate === null
      ? []
      : [
          [
            "Pass rate",
            `${percent(passRate)}${interval === null ? "" : ` (${interval.map(percent).join(" to ")})`}`,
          ] as const,
        ]),
    ["Cost", usd(costUsd)],
    ["Time", renderDuration(durationMs)],
    ...(latencyMs === null
      ? []
      : [["Latency", `median ${renderDuration(latencyMs.p50)}, p95 ${renderDuration(latencyMs.p95)}`] as const]),
    ["Requests", `${renderCount(requests)}, ${renderCount(retries)} of them retries`],
    ["Tokens", `${renderCount(usage.inputTokens)} in, ${renderCount(usage.outputTokens)} out`],
    ["Started", moment(startedAt)],
    ...(head.git === null
      ? []
      : [
          [
            "Commit",
            `${head.git.commit.slice(0, 12)}${head.git.branch === null ? "" : ` on ${head.git.branch}`}${head.git.dirty ? ", with changes" : ""}`,
          ] as const,
        ]),
    ["Run", head.runId],
    ["Seed", String(head.seed)],
  ];
  return (
    <section aria-label="Summary">
      <p class="counts">
        {statuses.map((status) => (
          <span key={status}>
            <Sign status={status} isSilent />
            <b>{renderCount(counts[status])}</b> {status}
          </span>
        ))}
      </p>
      <dl class="figures">
        {figures.map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Suites({ store }: { store: ReportStore }) {
  return (
    <Table
      title="Suites"
      heads={["Suite", ...statuses, "Pass rate", "Cost", "Latency p95"]}
      rows={store.index.suites.map(({ name, counts, passRate, costUsd, latencyMs, error }) => ({
        head: (
          <>
            <button type="button" class="link" onClick={() => store.go({ view: "cases", suite: name, case: null })}>
              {name}
            </button>
            {error === null ? null : <p class="errored">! not run: {error}</p>}
          </>
        ),
        cells: [
          ...statuses.map((status) => renderCount(counts[status])),
          passRate === null ? "–" : percent(passRate),
          usd(costUsd),
          latencyMs === null ? "–" : renderDuration(latencyMs.p95),
        ],
      }))}
    />
  );
}

function Models({ models }: Pick<ReportIndex, "models">) {
  if (models.length < 2) return null;
  return (
    <Table
      title="Models"
      heads={["Model", "Mean rate", "Passed", "Errored", "Cost", "Mean latency"]}
      rows={models.map(({ name, rate, passed, cases, errored, costUsd, latencyMs }) => ({
        head: name,
        cells: [
          rate === null ? "–" : percent(rate),
          `${renderCount(passed)} of ${renderCount(cases)}`,
          renderCount(errored),
          usd(costUsd),
          renderDuration(latencyMs),
        ],
      }))}
    />
  );
}

interface TableProps {
  title: string;
  heads: readonly string[];
  rows: readonly { head: ComponentChildren; cells: readonly string[] }[];
}

/** Figures on the right, one row for each name. It scrolls by itself where it is wider than the page. */
function Table({ title, heads, rows }: TableProps) {
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <div class="wide" role="group" aria-label={title} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {heads.map((name, at) => (
                <th key={name} scope="col" class={at === 0 ? "" : "figure"}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ head, cells }, row) => (
              <tr key={row}>
                <th scope="row">{head}</th>
                {cells.map((text, at) => (
                  <td key={at} class="figure">
                    {text}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Warnings({ warnings }: Pick<ReportHead, "warnings">) {
  if (warnings.length === 0) return null;
  return (
    <section aria-label="Warnings">
      <h3>Warnings</h3>
      <ul class="plain">
        {warnings.map(({ message, hint, position }) => (
          <li key={`${message} ${position}`}>
            {message} {position === null ? null : <code>{position}</code>}
            {hint === null ? null : <p class="meta">{hint}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}

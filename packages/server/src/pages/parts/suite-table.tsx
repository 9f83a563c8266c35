import { percent, points, renderCount, renderDuration, renderUsd } from "@kindlm/core/program";
import type { RunDocument } from "@kindlm/core/upload";
import { Name } from "./names.js";
import { trendPath } from "./paths.js";

export const statuses = ["passed", "failed", "errored", "skipped"] as const;

type Figures = RunDocument["suites"][number]["figures"];

/** The pass rate with its 95% interval; null if nothing counts. */
export const rateOf = ({ passRate, interval }: Pick<Figures, "passRate" | "interval">): string | null =>
  passRate === null
    ? null
    : `${percent(passRate)}${interval === null ? "" : ` (${interval.map(percent).join(" to ")})`}`;

export const usd = (cost: number | null): string => (cost === null ? "unknown" : renderUsd(cost));

const verdictSigns = { ok: ["=", "dim"], regressed: ["▼", "failed"], inconclusive: ["?", "flaky"] } as const;

/** The suites of a run, each with its difference from its baseline. */
export function SuiteTable({ document, project }: { document: RunDocument; project: string }) {
  const compared = new Map(document.comparison?.suites.map((one) => [one.suite, one]) ?? []);
  const isCompared = [...compared.values()].some(({ status }) => status === "compared");
  return (
    <section aria-label="Suites">
      <h2>Suites</h2>
      <div class="wide" tabindex={0} role="region" aria-label="Suites of the run">
        <table class="list">
          <thead>
            <tr>
              <th scope="col">Suite</th>
              {[...statuses, "Pass rate", "Cost", "Latency p95"].map((name) => (
                <th scope="col" class="figure">
                  {name}
                </th>
              ))}
              {isCompared ? <th scope="col">Against its baseline</th> : null}
            </tr>
          </thead>
          <tbody>
            {document.suites.map((suite) => (
              <tr>
                <th scope="row" class="main">
                  <a href={trendPath(project, { suite: suite.name })}>
                    <Name text={suite.name} />
                  </a>
                  {suite.error === undefined ? null : <span class="errored">{` ! not run: ${suite.error}`}</span>}
                </th>
                {statuses.map((status) => (
                  <td
                    class={`figure ${suite.figures[status] > 0 && status !== "passed" ? status : ""}`}
                    data-label={status}
                  >
                    {renderCount(suite.figures[status])}
                  </td>
                ))}
                <td class="figure" data-label="Pass rate">
                  {rateOf(suite.figures) ?? "–"}
                </td>
                <td class="figure" data-label="Cost">
                  {usd(suite.figures.costUsd)}
                </td>
                <td class="figure" data-label="Latency p95">
                  {suite.figures.latencyMs === null ? "–" : renderDuration(suite.figures.latencyMs.p95)}
                </td>
                {isCompared ? <Difference of={compared.get(suite.name)} /> : null}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Difference({ of }: { of: NonNullable<RunDocument["comparison"]>["suites"][number] | undefined }) {
  if (of?.status !== "compared") return <td data-label="Baseline">none</td>;
  const [sign, color] = verdictSigns[of.verdict];
  const { meanDifference, interval } = of;
  const range = interval === null ? "" : ` (${interval.map(points).join(" to ")})`;
  return (
    <td data-label="Baseline">
      <span class={color}>
        <b aria-hidden="true">{sign}</b> {of.verdict === "ok" ? "no change seen" : of.verdict}
      </span>
      {meanDifference === null ? "" : ` ${points(meanDifference)} points${range}`}
    </td>
  );
}

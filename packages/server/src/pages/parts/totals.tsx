import { percent, points, renderCount, renderDuration, renderUsd } from "@kindlm/core/program";
import type { findComplete } from "../../runs/find-run.js";
import { Time } from "./figures.js";
import { Name } from "./names.js";
import { runPath } from "./paths.js";

type Run = Awaited<ReturnType<typeof findComplete>>;

interface Row {
  name: string;
  before: string;
  after: string;
  difference: string;
  /** Whether more is better; null if neither is. */
  isBetter: boolean | null;
}

function rowOf(
  name: string,
  [one, other]: readonly [number | null, number | null],
  render: (value: number) => string,
  {
    isMoreBetter = null,
    renderDifference = render,
  }: { isMoreBetter?: boolean | null; renderDifference?: (value: number) => string } = {},
): Row {
  const by = one === null || other === null ? null : other - one;
  const sign = by === null || by === 0 ? "" : by > 0 ? "+" : "−";
  const difference = by === null ? "–" : by === 0 ? "same" : `${sign}${renderDifference(Math.abs(by))}`;
  const shown = (value: number | null): string => (value === null ? "–" : render(value));
  const isBetter = by === null || by === 0 || isMoreBetter === null ? null : by > 0 === isMoreBetter;
  return { name, before: shown(one), after: shown(other), difference, isBetter };
}

function rowsOf(before: Run, after: Run): readonly Row[] {
  const both = <K extends keyof Run>(key: K): readonly [Run[K], Run[K]] => [before[key], after[key]];
  const pointsOf = (value: number): string => `${points(value).replace(/^[+−]/, "")} points`;
  return [
    rowOf("Pass rate", both("pass_rate"), percent, { isMoreBetter: true, renderDifference: pointsOf }),
    rowOf("Passed", both("passed"), renderCount),
    rowOf("Failed", both("failed"), renderCount, { isMoreBetter: false }),
    rowOf("Errored", both("errored"), renderCount, { isMoreBetter: false }),
    rowOf("Skipped", both("skipped"), renderCount),
    rowOf("Cost", both("cost_usd"), renderUsd, { isMoreBetter: false }),
    rowOf("Latency, median", both("p50_ms"), renderDuration, { isMoreBetter: false }),
    rowOf("Latency, p95", both("p95_ms"), renderDuration, { isMoreBetter: false }),
  ];
}

function SideHead({ run, project, label }: { run: Run; project: string; label: string }) {
  return (
    <th scope="col" class="figure">
      {label}{" "}
      <a href={runPath(project, run.run)}>
        <Time ms={run.started_ms} />
      </a>
      {run.branch === null ? null : (
        <span class="meta">
          {" "}
          <Name text={run.branch} />
        </span>
      )}
    </th>
  );
}

/** The figures of two runs with their differences. */
export function Totals({ before, after, project }: { before: Run; after: Run; project: string }) {
  return (
    <section aria-label="Totals">
      <h2>Totals</h2>
      <div class="wide" tabindex={0} role="region" aria-label="Totals of both runs">
        <table class="totals">
          <thead>
            <tr>
              <th scope="col">Figure</th>
              <SideHead run={before} project={project} label="Before" />
              <SideHead run={after} project={project} label="After" />
              <th scope="col" class="figure">
                Difference
              </th>
            </tr>
          </thead>
          <tbody>
            {rowsOf(before, after).map(({ name, before: one, after: other, difference, isBetter }) => (
              <tr>
                <th scope="row">{name}</th>
                <td class="figure">{one}</td>
                <td class="figure">{other}</td>
                <td class={`figure difference ${isBetter === null ? "" : isBetter ? "better" : "worse"}`}>
                  {isBetter === null ? "" : isBetter ? "▲ " : "▼ "}
                  {difference}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

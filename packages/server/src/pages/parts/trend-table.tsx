import { percent, renderDuration, renderUsd } from "@kindlm/core/program";
import type { TrendPoint } from "../../history/read-trends.js";
import { Time } from "./figures.js";
import { runPath } from "./paths.js";

/** The values of charts, the newest first. */
export function TrendTable({ project, points }: { project: string; points: readonly TrendPoint[] }) {
  return (
    <div class="wide" tabindex={0} role="region" aria-label="Values of the charts">
      <table class="list">
        <thead>
          <tr>
            <th scope="col">Run</th>
            {["Passed", "Pass rate", "95% interval", "Cost", "Latency"].map((name) => (
              <th scope="col" class="figure">
                {name}
              </th>
            ))}
            <th scope="col">Changed</th>
          </tr>
        </thead>
        <tbody>
          {points.toReversed().map((point) => (
            <tr>
              <th scope="row" class="main">
                <a href={runPath(project, point.run)}>
                  <Time ms={point.started_ms} />
                </a>
              </th>
              <td class="figure" data-label="Passed">{`${point.passed}/${point.counted}`}</td>
              <td class="figure" data-label="Pass rate">
                {point.rate === null ? "–" : percent(point.rate)}
              </td>
              <td class="figure" data-label="95% interval">
                {point.interval === null ? "–" : point.interval.map(percent).join(" to ")}
              </td>
              <td class="figure" data-label="Cost">
                {point.cost_usd === null ? "–" : renderUsd(point.cost_usd)}
              </td>
              <td class="figure" data-label="Latency">
                {point.latency_ms === null ? "–" : renderDuration(point.latency_ms)}
              </td>
              <td data-label="Changed">
                {point.changed.length === 0 ? "" : <span class="badge flaky">{point.changed.join(", ")}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

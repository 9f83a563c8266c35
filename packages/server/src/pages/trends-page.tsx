import { percent, renderDuration, renderUsd } from "@kindlm/core/program";
import { projectOf } from "../api/route.js";
import type { HistoryOf } from "../history/read-history.js";
import { readCaseTrend, readSuiteTrend, type TrendPoint } from "../history/read-trends.js";
import { readBranches, readSuiteCases, readSuites } from "../history/read-runs.js";
import { definePage } from "./page.js";
import { Empty } from "./parts/figures.js";
import { Name, Sign } from "./parts/names.js";
import { runPath, trendPath } from "./parts/paths.js";
import { TrendChart, type ChartPoint } from "./parts/trend-chart.js";
import { TrendTable } from "./parts/trend-table.js";

const mostPoints = 60;
const mostSuites = 24;
const mostCases = 300;

const utc = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace("T", " ");
const rateWords = ({ rate, passed, counted }: TrendPoint): string =>
  rate === null ? "no trial counts" : `${percent(rate)}, ${passed} of ${counted} passed`;

interface Trend {
  project: string;
  points: readonly TrendPoint[];
}

function pointsOf({ project, points }: Trend, kind: "rate" | "cost_usd" | "latency_ms"): readonly ChartPoint[] {
  const words = {
    rate: rateWords,
    cost_usd: ({ cost_usd }: TrendPoint) => (cost_usd === null ? "unknown" : renderUsd(cost_usd)),
    latency_ms: ({ latency_ms }: TrendPoint) => (latency_ms === null ? "unknown" : renderDuration(latency_ms)),
  }[kind];
  return points.map((point) => ({
    value: point[kind],
    ...(kind === "rate" ? { interval: point.interval } : {}),
    href: runPath(project, point.run),
    words: `${utc(point.started_ms)}: ${words(point)}`,
    changed: point.changed,
    startedMs: point.started_ms,
  }));
}

function Charts({ project, points }: Trend) {
  const isChanged = points.some(({ changed }) => changed.length > 0);
  return (
    <>
      <div class="spark">
        <TrendChart
          id="rate"
          title="Pass rate with 95% intervals"
          points={pointsOf({ project, points }, "rate")}
          most={1}
          render={percent}
        />
        <TrendChart id="cost" title="Cost" points={pointsOf({ project, points }, "cost_usd")} render={renderUsd} />
        <TrendChart
          id="latency"
          title="Latency of a trial"
          points={pointsOf({ project, points }, "latency_ms")}
          render={renderDuration}
        />
      </div>
      {isChanged ? (
        <p class="meta">A dotted line marks a run whose agent, check or config is not that of the run before.</p>
      ) : null}
    </>
  );
}

interface BranchProps {
  path: string;
  branches: readonly string[];
  branch: string | null;
  of: Readonly<Record<string, string | undefined>>;
}

function BranchChoice({ path, branches, branch, of }: BranchProps) {
  const names = branch === null || branches.includes(branch) ? branches : [branch, ...branches];
  return (
    <form method="get" action={path} class="choose" role="search">
      {Object.entries(of).map(([name, value]) =>
        value === undefined ? null : <input type="hidden" name={name} value={value} />,
      )}
      <div>
        <label for="branch">Branch</label>
        <select id="branch" name="branch">
          <option value="">All branches</option>
          {names.map((name) => (
            <option value={name} selected={name === branch}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <button type="submit">Show</button>
    </form>
  );
}

/** The pass rates of all suites, each of which leads to its own page. */
async function Overview({ history, project, branch }: { history: HistoryOf; project: string; branch: string | null }) {
  const suites = (await readSuites(history)).slice(0, mostSuites);
  const trends = [];
  for (const suite of suites) trends.push({ suite, points: await readSuiteTrend(history, suite, branch, 30) });
  const shown = trends.filter(({ points }) => points.length > 0);
  if (shown.length === 0) return <Empty title={branch === null ? "No runs yet" : "No run of this branch"} />;
  return (
    <div class="spark">
      {shown.map(({ suite, points }, at) => (
        <TrendChart
          id={`suite-${at}`}
          title={`Pass rate of suite ${suite}`}
          caption={
            <a href={trendPath(project, { suite, branch })}>
              <Name text={suite} />
            </a>
          }
          points={pointsOf({ project, points }, "rate")}
          most={1}
          render={percent}
        />
      ))}
    </div>
  );
}

async function Cases({
  history,
  project,
  suite,
  branch,
}: {
  history: HistoryOf;
  project: string;
  suite: string;
  branch: string | null;
}) {
  const cases = await readSuiteCases(history, suite, mostCases);
  if (cases.length === 0) return null;
  return (
    <section aria-label="Cases of the suite">
      <h2>Cases in the newest run</h2>
      <ul class="plain">
        {cases.map(({ case_id, status, passes, counted }) => (
          <li>
            <Sign status={status} />{" "}
            <a href={trendPath(project, { case: case_id, branch })}>
              <Name text={case_id} />
            </a>{" "}
            <span class="meta">{counted === 0 ? "" : `${passes}/${counted}`}</span>
          </li>
        ))}
      </ul>
      {cases.length < mostCases ? null : (
        <p class="dim">{`The first ${mostCases} are listed, those that did not pass first.`}</p>
      )}
    </section>
  );
}

export const trendsPage = definePage({
  path: "/p/{project}/trends",
  needs: "runs:read",
  tab: "Trends",
  async render({ world, query, path, ...call }) {
    const { id, name, org_id } = projectOf(call);
    const history: HistoryOf = { database: world.database, orgId: org_id, projectId: id };
    const { suite, case: caseId } = query;
    const branch = query["branch"] === undefined || query["branch"] === "" ? null : query["branch"];
    const choice = (
      <BranchChoice path={path} branches={await readBranches(history)} branch={branch} of={{ suite, case: caseId }} />
    );
    if (suite === undefined && caseId === undefined) {
      const body = (
        <>
          {choice}
          {await Overview({ history, project: name, branch })}
        </>
      );
      return { title: "Trends", body };
    }
    const points =
      caseId === undefined
        ? await readSuiteTrend(history, suite ?? "", branch, mostPoints)
        : await readCaseTrend(history, caseId, branch, mostPoints);
    const body = (
      <>
        <p>
          <a href={trendPath(name, { branch })}>All suites</a>
          <span aria-hidden="true"> / </span>
          <b>
            <Name text={caseId ?? suite ?? ""} isWhole />
          </b>
        </p>
        {choice}
        {points.length === 0 ? (
          <Empty title="No run has results of it" />
        ) : (
          <>
            <Charts project={name} points={points} />
            <TrendTable project={name} points={points} />
          </>
        )}
        {caseId === undefined ? await Cases({ history, project: name, suite: suite ?? "", branch }) : null}
      </>
    );
    return { title: caseId === undefined ? "Trend of a suite" : "Trend of a case", body };
  },
});

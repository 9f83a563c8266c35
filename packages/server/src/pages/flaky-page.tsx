import { percent, plural, renderCount } from "@kindlm/core/program";
import { projectOf } from "../api/route.js";
import { readFlaky, type FlakyCase } from "../history/read-history.js";
import { definePage } from "./page.js";
import { Empty } from "./parts/figures.js";
import { Name } from "./parts/names.js";
import { trendPath } from "./parts/paths.js";

const periods = [7, 30, 90, 365];
const mostCases = 200;

/** Why a case is in the list, in words. */
function whyOf({ mixed, rarer, runs }: FlakyCase): string {
  const within = `trials of one run differ in ${renderCount(mixed)} of ${plural(runs, "run")}`;
  const between = `the outcome changed in ${renderCount(rarer)} of ${plural(runs, "run")}, while agent and check did not`;
  return [...(rarer > 0 ? [between] : []), ...(mixed > 0 ? [within] : [])].join("; ");
}

function Share({ of }: { of: number }) {
  return (
    <>
      {percent(of)}{" "}
      <svg class="share" viewBox="0 0 90 8" aria-hidden="true">
        <rect class="all" width="90" height="8" rx="4" />
        <rect class="part" width={Math.max(3, Math.round(90 * of))} height="8" rx="4" />
      </svg>
    </>
  );
}

function Ranking({ cases, project }: { cases: readonly FlakyCase[]; project: string }) {
  return (
    <div class="wide" tabindex={0} role="region" aria-label="Flaky cases">
      <table class="list">
        <thead>
          <tr>
            <th scope="col">Case</th>
            <th scope="col">Flakiness</th>
            <th scope="col">Why</th>
            {["Passed", "Failed", "Errored"].map((name) => (
              <th scope="col" class="figure">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {cases.map((one) => (
            <tr>
              <th scope="row" class="main">
                <a href={trendPath(project, { case: one.case_id })}>
                  <Name text={one.case_id} />
                </a>
              </th>
              <td data-label="Flakiness">
                <Share of={one.flakiness} />
              </td>
              <td data-label="Why">{whyOf(one)}</td>
              <td class="figure" data-label="Passed">
                {renderCount(one.passed)}
              </td>
              <td class="figure" data-label="Failed">
                {renderCount(one.failed)}
              </td>
              <td class="figure" data-label="Errored">
                {renderCount(one.errored)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export const flakyPage = definePage({
  path: "/p/{project}/flaky",
  needs: "runs:read",
  tab: "Flaky",
  async render({ world, query, path, ...call }) {
    const { id, name, org_id } = projectOf(call);
    const days = periods.find((one) => String(one) === query["days"]) ?? 30;
    const history = { database: world.database, orgId: org_id, projectId: id };
    const cases = await readFlaky(history, { days, nowMs: world.now(), most: mostCases });
    const body = (
      <>
        <p class="dim">
          Cases whose trials differ within a run, or whose outcome changes between runs of the same agent and check. A
          case that fails since its agent changed is not flaky, and not listed.
        </p>
        <form method="get" action={path} class="choose" role="search">
          <div>
            <label for="days">Period</label>
            <select id="days" name="days">
              {periods.map((one) => (
                <option value={one} selected={one === days}>
                  {`${one} days`}
                </option>
              ))}
            </select>
          </div>
          <button type="submit">Show</button>
        </form>
        {cases.length === 0 ? (
          <Empty title={`No flaky case in ${days} days`} />
        ) : (
          <Ranking cases={cases} project={name} />
        )}
      </>
    );
    return { title: "Flaky cases", body };
  },
});

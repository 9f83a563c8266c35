import { plural, renderDuration, renderUsd } from "@kindlm/core/program";
import { projectOf } from "../api/route.js";
import { listRuns } from "../history/list-runs.js";
import { definePage } from "./page.js";
import { Empty, NextPage, PassRate, Time, Verdict } from "./parts/figures.js";

type Run = Awaited<ReturnType<typeof listRuns>>["items"][number];

function RunRow({ run, path }: { run: Run; path: string }) {
  const counts = [
    run.errored > 0 ? plural(run.errored, "error") : "",
    run.skipped > 0 ? `${run.skipped} skipped` : "",
  ].filter((part) => part !== "");
  return (
    <tr>
      <td class="main">
        <Verdict verdict={run.verdict} />
        <a href={`${path}/runs/${encodeURIComponent(run.run)}`}>
          <Time ms={run.started_ms} />
        </a>
        {run.shard_of === null ? null : (
          <span class="badge">{`shard ${run.shard_index ?? "?"} of ${run.shard_of}`}</span>
        )}
        {run.note === null ? null : <span class="meta note">{run.note}</span>}
      </td>
      <td data-label="Branch">
        <span class="code">{run.branch ?? "–"}</span>
        {run.commit === null ? null : <span class="code dim">{` ${run.commit.slice(0, 7)}`}</span>}
      </td>
      <td class="figure" data-label="Passed">
        {`${run.passed}/${run.passed + run.failed}`}
        {counts.length === 0 ? null : <span class="meta errored">{` ${counts.join(", ")}`}</span>}
      </td>
      <td class="figure" data-label="Pass rate">
        <PassRate passed={run.passed} failed={run.failed} />
      </td>
      <td class="figure" data-label="Cost">
        {run.cost_usd === null ? "–" : renderUsd(run.cost_usd)}
      </td>
      <td class="figure" data-label="Latency p50">
        {run.p50_ms === null ? "–" : renderDuration(run.p50_ms)}
      </td>
    </tr>
  );
}

function Runs({ runs, path }: { runs: readonly Run[]; path: string }) {
  return (
    <div class="wide" tabindex={0} role="region" aria-label="Runs">
      <table class="list">
        <thead>
          <tr>
            <th scope="col">Run</th>
            <th scope="col">Branch</th>
            <th scope="col" class="figure">
              Passed
            </th>
            <th scope="col" class="figure">
              Pass rate, 95% interval
            </th>
            <th scope="col" class="figure">
              Cost
            </th>
            <th scope="col" class="figure">
              Latency p50
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <RunRow run={run} path={path} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function BranchFilter({ path, branch }: { path: string; branch: string }) {
  return (
    <form method="get" action={path} class="line" role="search">
      <div class="field">
        <label for="branch">Branch</label>
        <input id="branch" name="branch" value={branch} placeholder="All branches" autocomplete="off" />
      </div>
      <button type="submit">Show</button>
      {branch === "" ? null : (
        <a class="button" href={path}>
          All branches
        </a>
      )}
    </form>
  );
}

export const runsPage = definePage({
  path: "/p/{project}",
  needs: "runs:read",
  tab: "Runs",
  async render({ world, path, query, ...call }) {
    const { id, name, org_id } = projectOf(call);
    const { branch = "", after } = query;
    const of = { database: world.database, orgId: org_id, projectId: id };
    const { items, next } = await listRuns(of, { branch: branch === "" ? undefined : branch, after, most: 50 });
    const isFirst = items.length === 0 && branch === "" && after === undefined;
    const body = isFirst ? (
      <Empty title="No runs yet" command={`kindlm login --server ${world.origin()}\nkindlm test --upload`}>
        <p>
          Set <code>{`upload: { project: ${name} }`}</code> in the config, and run:
        </p>
      </Empty>
    ) : (
      <>
        <BranchFilter path={path} branch={branch} />
        {items.length === 0 ? <Empty title={`No runs of branch ${branch}`} /> : <Runs runs={items} path={path} />}
        <NextPage path={path} next={next} query={branch === "" ? {} : { branch }} />
      </>
    );
    return { title: "Runs", body };
  },
});

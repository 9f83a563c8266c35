import { plural, renderCount, renderDuration } from "@kindlm/core/program";
import { restoreRun, type RunDocument } from "@kindlm/core/upload";
import { projectOf } from "../api/route.js";
import { countShards, findBefore, findReplacing, readNotPassed } from "../history/read-runs.js";
import { mostReportedCases } from "../report/run-report.js";
import { findComplete } from "../runs/find-run.js";
import { definePage } from "./page.js";
import { Time } from "./parts/figures.js";
import { Figures, Name, Sign, type Status } from "./parts/names.js";
import { comparePath, runPath } from "./parts/paths.js";
import { rateOf, statuses, SuiteTable, usd } from "./parts/suite-table.js";

/** Cases that are listed for readers without scripts. */
const mostListed = 100;

type Run = Awaited<ReturnType<typeof findComplete>>;

function Head({ run }: { run: Run }) {
  const { document, commit, branch } = run;
  const { summary } = document;
  const { usage, latencyMs, requests, retries } = summary;
  const shown = [
    ["Pass rate, 95% interval", rateOf(summary)],
    ["Cost", usd(summary.costUsd)],
    [
      "Latency of a trial",
      latencyMs && `median ${renderDuration(latencyMs.p50)}, p95 ${renderDuration(latencyMs.p95)}`,
    ],
    ["Branch", branch === null ? null : <Name text={branch} />],
    ["Commit", commit === null ? null : `${commit.slice(0, 12)}${document.dirty ? ", with changes" : ""}`],
    ["Started", <Time ms={run.started_ms} />],
    ["Took", renderDuration(Math.max(0, Date.parse(document.endedAt) - Date.parse(document.startedAt)))],
    ["Requests", `${renderCount(requests)}, ${renderCount(retries)} of them retries`],
    ["Tokens", `${renderCount(usage.inputTokens)} in, ${renderCount(usage.outputTokens)} out`],
    ["KindLM, seed", `${document.kindlm}, ${document.seed}`],
  ] as const;
  return (
    <section aria-label="Summary">
      <p class={`lead ${run.verdict}`}>
        <Sign status={run.verdict} isSilent /> {run.verdict}
      </p>
      <p class="counts">
        {statuses.map((status) => (
          <span>
            <Sign status={status} isSilent />
            <b>{renderCount(summary[status])}</b> {status}
          </span>
        ))}
      </p>
      <Figures of={shown} />
    </section>
  );
}

interface Notes {
  run: Run;
  /** Shards of the same build that were uploaded. */
  shards: number;
  replacing: string | null;
  project: string;
}

/** What a reader must know before the figures. */
function Notices({ run, shards, replacing, project }: Notes) {
  const { document, note, shard_index, shard_of } = run;
  const { include } = document;
  const texts = [
    ...(document.halted ? ["Not all cases were started."] : []),
    ...(document.interrupted ? ["The run was interrupted."] : []),
    ...(document.replayed === true ? ["Recordings alone answered; latencies are those of the recordings."] : []),
    ...(document.resumed === undefined ? [] : [`The run was resumed ${plural(document.resumed, "time")}.`]),
    ...(document.mergedFrom === undefined ? [] : [`Merged from ${plural(document.mergedFrom.length, "shard")}.`]),
    ...(include.length === 0 ? [] : [`Uploaded with ${include.join(" and ")}.`]),
  ];
  return (
    <div class="notices">
      {shard_of === null ? null : (
        <p class="notice">
          Shard {shard_index} of {shard_of}: the other cases are in other runs. {shards} of {shard_of} uploaded
          {note === null ? "." : `. The shards stay apart: ${note}.`}
        </p>
      )}
      {replacing === null ? null : (
        <p class="notice">
          {shard_of === null ? "Replaced by " : "This shard is part of "}
          <a href={runPath(project, replacing)}>run {replacing}</a>.
        </p>
      )}
      {texts.map((text) => (
        <p class="dim">{text}</p>
      ))}
    </div>
  );
}

function Gates({ gates }: { gates: ReturnType<typeof restoreRun>["gates"] }) {
  if (gates.length === 0) return null;
  return (
    <section aria-label="Gates">
      <h2>Gates</h2>
      <ul class="plain">
        {gates.map((gate) => (
          <li>
            <Sign status={gate.pass ? "passed" : "failed"} /> {gate.message}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface CasesProps {
  document: RunDocument;
  /** Where the viewer finds its data. */
  source: string;
  listed: readonly { case_id: string; status: Status; error_code: string | null }[];
  isKept: boolean;
}

/** The viewer. Without scripts, it is a list of the cases that did not pass. */
function Cases({ document, source, listed, isKept }: CasesProps) {
  const isTooLarge = document.cases > mostReportedCases;
  const notPassed = document.summary.failed + document.summary.errored;
  if (!isKept)
    return <p class="notice">The cases of this run were deleted, since the project keeps them for a time only.</p>;
  return (
    <section aria-label="Cases and trials" class="viewer">
      <h2>Cases</h2>
      <div id="report" data-source={isTooLarge ? undefined : source}>
        <p class="dim">
          {isTooLarge
            ? `The run has ${renderCount(document.cases)} cases, too many for a page. The API lists all of them.`
            : "The cases with their trials appear here. They need a script, which did not run yet, or is not allowed."}
        </p>
        {notPassed === 0 ? null : (
          <>
            <h3>Cases that did not pass</h3>
            <ul class="plain">
              {listed.map(({ case_id, status, error_code }) => (
                <li>
                  <Sign status={status} /> <Name text={case_id} />
                  {error_code === null ? null : <span class="dim">{` ${error_code}`}</span>}
                </li>
              ))}
            </ul>
            {notPassed > listed.length ? (
              <p class="dim">{`and ${renderCount(notPassed - listed.length)} more`}</p>
            ) : null}
          </>
        )}
      </div>
    </section>
  );
}

export const runPage = definePage({
  path: "/p/{project}/runs/{run}",
  needs: "runs:read",
  async render({ world, params, path, ...call }) {
    const project = projectOf(call);
    const { database } = world;
    const run = await findComplete(database, project, params["run"] ?? "");
    const history = { database, orgId: project.org_id, projectId: project.id };
    const [shards, replacing, before, listed, kept] = [
      run.shard_of === null ? 0 : await countShards(history, run.id),
      await findReplacing(history, run.superseded_by),
      await findBefore(history, run),
      await readNotPassed(database, { orgId: project.org_id, id: run.id, day: run.day }, mostListed),
      world.now() < run.uploaded_ms + project.case_days * 86_400_000,
    ];
    const result = restoreRun(run.document, [], () => Promise.resolve(null));
    const body = (
      <>
        <Notices run={run} shards={shards} replacing={replacing} project={project.name} />
        <Head run={run} />
        <p class="links">
          {before === null ? null : (
            <a class="button" href={comparePath(project.name, { before, after: run.run, by: "run" })}>
              Compare with the run before on this branch
            </a>
          )}
        </p>
        <Gates gates={result.gates} />
        <SuiteTable document={run.document} project={project.name} />
        <Cases document={run.document} source={`${path}/report`} listed={listed} isKept={kept} />
      </>
    );
    return { title: `Run ${run.run}`, body, assets: ["viewer.css", "viewer.js"] };
  },
});

import { plural, renderCount } from "@kindlm/core/program";
import { ApiError } from "../api/api-error.js";
import { projectOf } from "../api/route.js";
import type { ProjectRow } from "../database/tables.js";
import { compareIdentities, compareRuns, type ComparedCase } from "../history/read-history.js";
import { readBranches } from "../history/read-runs.js";
import { findComplete, findNewest } from "../runs/find-run.js";
import { definePage, type PageCall } from "./page.js";
import { CompareForm } from "./parts/compare-form.js";
import { Empty } from "./parts/figures.js";
import { Name, Sign, type Status } from "./parts/names.js";
import { comparePath, trendPath } from "./parts/paths.js";
import { Totals } from "./parts/totals.js";

type Run = Awaited<ReturnType<typeof findComplete>>;
type By = "run" | "branch";

/** Cases of a group that are listed. */
const mostListed = 200;

const kindSigns: Readonly<Record<ChangeKind, readonly [string, string]>> = {
  "newly failing": ["▼", "failed"],
  fixed: ["▲", "passed"],
  errored: ["!", "errored"],
  "changed pass counts": ["~", "flaky"],
  new: ["+", "dim"],
  gone: ["–", "dim"],
};

function Side({ side }: { side: ComparedCase["before"] }) {
  if (side === null) return <span class="dim">not there</span>;
  const status = (["passed", "failed", "errored", "skipped"] as const).find(
    (one): one is Status => one === side.status,
  );
  return (
    <>
      <Sign status={status ?? "errored"} /> {side.counted === 0 ? side.status : `${side.passes}/${side.counted}`}
    </>
  );
}

function Group({ kind, cases, project }: { kind: ChangeKind; cases: readonly ComparedCase[]; project: string }) {
  const [sign, color] = kindSigns[kind];
  return (
    <section aria-label={kind}>
      <h2>
        <span class={color} aria-hidden="true">
          {sign}
        </span>{" "}
        {`${renderCount(cases.length)} ${kind}`}
      </h2>
      <div class="wide" tabindex={0} role="region" aria-label={`Cases: ${kind}`}>
        <table class="list">
          <thead>
            <tr>
              <th scope="col">Case</th>
              <th scope="col">Before</th>
              <th scope="col">After</th>
              <th scope="col">Changed</th>
            </tr>
          </thead>
          <tbody>
            {cases.slice(0, mostListed).map(({ case_id, before, after, same_agent, same_check }) => (
              <tr>
                <th scope="row" class="main">
                  <a href={trendPath(project, { case: case_id })}>
                    <Name text={case_id} />
                  </a>
                </th>
                <td data-label="Before">
                  <Side side={before} />
                </td>
                <td data-label="After">
                  <Side side={after} />
                </td>
                <td data-label="Changed">
                  {[...(same_agent === false ? ["agent"] : []), ...(same_check === false ? ["check"] : [])].map(
                    (what) => (
                      <span class="badge flaky">{what}</span>
                    ),
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {cases.length <= mostListed ? null : <p class="dim">{`and ${renderCount(cases.length - mostListed)} more`}</p>}
    </section>
  );
}

/** Whether a difference says something about the agent: where the check changed, it does not. */
function whatChanged({ cases, agents, checks }: { cases: number; agents: number; checks: number }): string {
  if (cases === 0) return "The runs have no case in common.";
  const common = plural(cases, "case");
  if (agents === 0 && checks === 0)
    return `Agent and check are the same in all ${common} that both runs have: what differs there is chance, or the model.`;
  const agent = agents === 0 ? "The agent is the same" : `The agent changed in ${renderCount(agents)}`;
  const check =
    checks === 0
      ? "the check is the same in all"
      : `the check changed in ${renderCount(checks)}, which cannot be compared`;
  return `${agent}${agents === 0 ? "" : ` of the ${common} that both runs have`}; ${check}.`;
}

async function Result({
  call,
  project,
  before,
  after,
  by,
}: {
  call: PageCall;
  project: ProjectRow;
  before: string;
  after: string;
  by: By;
}) {
  const { database } = call.world;
  const find = async (name: string): Promise<Run> =>
    findComplete(database, project, by === "run" ? name : await findNewest(database, project, name));
  const sides = await Promise.all([find(before), find(after)]).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return error.message;
    throw error;
  });
  if (typeof sides === "string") {
    return (
      <p class="problem" role="alert">
        {sides}
      </p>
    );
  }
  const [one, other] = sides;
  const history = { database, orgId: project.org_id, projectId: project.id };
  const cases = await compareRuns(history, one, other);
  const identities = await compareIdentities(history, one, other);
  return (
    <>
      <p class="notice">{whatChanged(identities)}</p>
      <Totals before={one} after={other} project={project.name} />
      {cases.length === 0 ? (
        <Empty title="No case differs" />
      ) : (
        groupChanges(cases).map((group) => <Group kind={group.kind} cases={group.cases} project={project.name} />)
      )}
      <p>
        <a class="button" href={comparePath(project.name, { before: after, after: before, by })}>
          Swap both
        </a>
      </p>
    </>
  );
}

export const comparePage = definePage({
  path: "/p/{project}/compare",
  needs: "runs:read",
  tab: "Compare",
  async render(call) {
    const project = projectOf(call);
    const { before = "", after = "" } = call.query;
    const by: By = call.query["by"] === "branch" ? "branch" : "run";
    const history = { database: call.world.database, orgId: project.org_id, projectId: project.id };
    const branches = await readBranches(history);
    const body = (
      <>
        <CompareForm path={call.path} branches={branches} before={before} after={after} by={by} />
        {before === "" || after === "" ? null : await Result({ call, project, before, after, by })}
      </>
    );
    return { title: "Compare", body };
  },
});

/** What became of a case between two runs. */
const changeKinds = ["newly failing", "fixed", "errored", "changed pass counts", "new", "gone"] as const;
type ChangeKind = (typeof changeKinds)[number];

function kindOf({ before, after }: ComparedCase): ChangeKind {
  if (after === null || after.status === "skipped") return "gone";
  if (before === null || before.status === "skipped") return "new";
  if (before.status === after.status) return "changed pass counts";
  if (after.status === "passed") return "fixed";
  return after.status === "failed" ? "newly failing" : "errored";
}

/** The cases that differ, by what became of them, the worst first. */
function groupChanges(cases: readonly ComparedCase[]): readonly { kind: ChangeKind; cases: readonly ComparedCase[] }[] {
  return changeKinds
    .map((kind) => ({ kind, cases: cases.filter((one) => kindOf(one) === kind) }))
    .filter((group) => group.cases.length > 0);
}

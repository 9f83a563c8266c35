import { sql, type Transaction } from "kysely";
import { createId } from "../auth/secrets.js";
import type { Tables } from "../database/tables.js";
import { addToSums } from "../runs/day-sums.js";
import type { CaseOwner } from "../runs/store-cases.js";
import type { RunUpload } from "../runs/insert-run.js";

export const webhookEvents = ["run.completed", "run.failed", "run.regressed", "case.flaky"] as const;
type WebhookEvent = (typeof webhookEvents)[number];
type Work = Transaction<Tables>;

/** More cases are not named in one message. */
const mostCases = 100;
/** A case that varied within as many days is not news. */
const flakyDays = 30;

/**
 * Queues what the webhooks of the project want to know about a run, in the transaction that stores the run: both are
 * there, or neither is. Of a run that has come in shards, the merged one counts.
 */
export async function queueDeliveries(work: Work, upload: RunUpload, owner: CaseOwner): Promise<void> {
  const webhooks = await work
    .selectFrom("webhooks")
    .select(["id", "events"])
    .where("org_id", "=", owner.orgId)
    .where("project_id", "=", owner.projectId)
    .orderBy("id")
    .execute();
  const wanted = new Set(webhooks.flatMap(({ events }) => events.split(" ")));
  const known = new Map<string, object>();
  for (const event of webhookEvents) {
    const data = wanted.has(event) ? await dataOf(event, work, upload, owner) : null;
    if (data !== null) known.set(event, data);
  }
  const at = new Date(upload.nowMs).toISOString();
  const rows = webhooks.flatMap(({ id, events }) =>
    events.split(" ").flatMap((event) => {
      const data = known.get(event);
      if (data === undefined) return [];
      const body = { type: event, timestamp: at, data: { ...aboutRun(upload, owner), ...data } };
      const times = { created_ms: upload.nowMs, next_ms: upload.nowMs };
      const state = { tries: 0, status: null, problem: null };
      const row = { org_id: owner.orgId, webhook_id: id, message_id: createId("msg"), event };
      return [{ ...row, ...times, ...state, body: JSON.stringify(body) }];
    }),
  );
  if (rows.length > 0) await work.insertInto("deliveries").values(rows).execute();
}

/** What an event says beyond the run; null if it did not happen. */
async function dataOf(event: WebhookEvent, work: Work, upload: RunUpload, owner: CaseOwner): Promise<object | null> {
  switch (event) {
    case "run.completed":
      return {};
    case "run.failed":
      return upload.run.verdict === "failed" ? {} : null;
    case "run.regressed":
      return findRegression(work, upload, owner);
    case "case.flaky":
      return findFlaky(work, owner);
  }
}

/** Measurements only, whatever the upload includes. */
function aboutRun({ project, run, origin }: RunUpload, { startedMs }: CaseOwner): object {
  const { passed, failed, errored, skipped, passRate, costUsd, latencyMs } = run.summary;
  return {
    project: project.name,
    run: {
      run: run.run,
      url: `${origin}/r/${run.run}`,
      started_ms: startedMs,
      branch: run.branch,
      commit: run.commit,
      verdict: run.verdict,
      interrupted: run.interrupted,
      passed,
      failed,
      errored,
      skipped,
      pass_rate: passRate,
      cost_usd: costUsd,
      p50_ms: latencyMs?.p50 ?? null,
      p95_ms: latencyMs?.p95 ?? null,
    },
  };
}

/**
 * The comparison with the baseline decides, if the run has one: it tells noise from change. Otherwise, a run that failed
 * after the run before it on its branch passed.
 */
async function findRegression(work: Work, { run }: RunUpload, owner: CaseOwner): Promise<object | null> {
  const { comparison, branch } = run;
  if (comparison !== null && comparison.verdict !== null) {
    if (comparison.verdict !== "regressed") return null;
    const compared = comparison.suites.flatMap((suite) =>
      suite.status === "compared" && suite.verdict === "regressed" ? [suite] : [],
    );
    const suites = compared.map(({ suite, meanDifference, p }) => ({ suite, mean_difference: meanDifference, p }));
    const cases = compared.flatMap(({ worse }) => worse.map(({ caseId }) => caseId));
    return { regression: { against: "baseline", suites, cases: cases.slice(0, mostCases) } };
  }
  if (branch === null || run.verdict === "passed") return null;
  const before = await work
    .selectFrom("runs")
    .select(["run", "verdict"])
    .where("org_id", "=", owner.orgId)
    .where("project_id", "=", owner.projectId)
    .where("state", "=", "complete")
    .where("superseded_by", "is", null)
    .where("shard_of", "is", null)
    .where("branch", "=", branch)
    .where("id", "!=", owner.runId)
    .where("started_ms", "<=", owner.startedMs)
    .orderBy("started_ms", "desc")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return before?.verdict === "passed" ? { regression: { against: "run", run: before.run } } : null;
}

interface FlakyRow {
  case_id: string;
  passes: number;
  counted: number;
}

/** Cases of the run that vary since this run, while agent and check are the same: as the flaky ranking counts. */
async function findFlaky(work: Work, owner: CaseOwner): Promise<object | null> {
  await addToSums(work, owner);
  const { rows } = await sql<FlakyRow>`
    with own as (
      select case_key, status, mixed, passes, counted, coalesce(agent_hash, '') as agent, coalesce(check_hash, '') as "check"
      from case_results
      where org_id = ${owner.orgId} and run_id = ${owner.runId} and day = ${owner.day} and status <> 'skipped'
    ), sums as (
      select d.case_key, sum(d.passed)::int as passed, sum(d.failed)::int as failed, sum(d.mixed)::int as mixed
      from case_days d
      join own o on o.case_key = d.case_key and o.agent = d.agent_hash and o."check" = d.check_hash
      where d.org_id = ${owner.orgId} and d.project_id = ${owner.projectId} and d.day > ${owner.day - flakyDays}
      group by d.case_key
    )
    select c.case_id, o.passes, o.counted
    from own o join sums s on s.case_key = o.case_key join cases c on c.key = o.case_key and c.org_id = ${owner.orgId}
    where greatest(s.mixed, least(s.passed, s.failed)) > 0
      and greatest(s.mixed - o.mixed::int,
        least(s.passed - (o.status = 'passed')::int, s.failed - (o.status = 'failed')::int)) = 0
    order by c.case_id limit ${mostCases}`.execute(work);
  return rows.length === 0 ? null : { cases: rows };
}

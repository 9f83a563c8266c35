import { createHash } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import { openEmbedded, openPostgres } from "../../packages/server/build/database/open-database.js";
import { caseOf, runOf } from "./sample-run.js";

/**
 * Fills an empty database with the history of one project, by statements inside of the database: a million case rows take
 * some ten seconds. Each run has all cases. Agents and prompts change 45 times in the 30 days, and one case in 20 is flaky. Measurements of
 * trials, which only the page of a run reads, are there for the newest runs.
 */
export const historyOf = (rows) => ({
  runs: rows / 1_000,
  cases: 1_000,
  days: 30,
  suites: 20,
  agents: 45,
  runsWithTrials: 200,
});

export const tokens = Array.from({ length: 40 }, (_, index) => `klm_${String(index).padStart(43, "t")}`);
/** Of the badge of the project. */
export const badgeKey = "k".repeat(32);
export const cookies = tokens.map((token) => token.replace("klm_", "klp_"));
const [org, project] = ["org_load", "prj_load"];
const dayMs = 86_400_000;

/** As many cases as the server compresses together, the same in every block: the page of a run reads them, and nothing counts them. */
const blockCases = 25;
const block = Array.from({ length: blockCases }, (_, index) => caseOf(index + 1, 20));
const trialsOfBlock = deflateRawSync(JSON.stringify(block), { level: 3 }).toString("hex");

/** Opens the database, fills it, and closes it. `place` is a folder, or the address of PostgreSQL. */
export async function loadHistory(place, history, nowMs = Date.now()) {
  const { runs, cases, days, suites, agents, runsWithTrials } = history;
  const opened = place.startsWith("postgres:") ? await openPostgres(place) : await openEmbedded(place, process);
  const run = (sql) =>
    opened.database.executeQuery({
      sql,
      parameters: [],
      query: { kind: "RawNode", sqlFragments: [sql], parameters: [] },
    });
  const today = Math.floor(nowMs / dayMs);
  await run(`insert into orgs (id, name, plan, created_ms) values ('${org}', 'Acme', null, ${nowMs})`);
  await run(`insert into projects (id, org_id, name, accepts, transcript_days, case_days, run_days, badge_key, created_ms)
    values ('${project}', '${org}', 'shop', '', 14, 30, 400, '${badgeKey}', ${nowMs})`);
  await addPeople(run, nowMs);
  await run(`insert into cases (org_id, project_id, case_id, suite, name, model)
    select '${org}', '${project}', 'suite-' || (c % ${suites}) || '/case-' || c || '@gpt', 'suite-' || (c % ${suites}), 'case-' || c, 'gpt'
    from generate_series(1, ${cases}) c order by c`);
  const document = JSON.stringify(runOf("r", { cases, suites: 1 })).replaceAll("'", "''");
  await run(`insert into runs (org_id, project_id, run, digest, state, day, started_ms, uploaded_ms, branch, commit, verdict,
      config_hash, seed, cases, passed, failed, errored, skipped, pass_rate, cost_usd, p50_ms, p95_ms, document)
    select '${org}', '${project}', 'run-' || i, md5(i::text), 'complete', t.at / ${dayMs}, t.at, t.at,
      case when i % 10 < 7 then 'main' else 'branch-' || (i % 100) end, md5('c' || i), 'passed', 'c0', 1, ${cases},
      ${cases} - 50, 50, 0, 0, 0.95, 1.5, 800, 900, '${document}'
    from generate_series(1, ${runs}) i, lateral (
      select ${(today - days + 1) * dayMs}::bigint + (i - 1)::bigint * ${days * dayMs - (dayMs - (nowMs % dayMs))} / ${runs} as at) t
    order by i`);
  await run(`insert into suite_results (run_id, org_id, project_id, suite, started_ms, branch, passed, total, counted, pass_rate, cost_usd, p50_ms)
    select r.id, r.org_id, r.project_id, 'suite-' || s, r.started_ms, r.branch, ${cases / suites} - (r.id + s) % 5, ${cases / suites},
      ${cases / suites}, 0.95, 0.1, 800 from runs r, generate_series(0, ${suites - 1}) s order by r.id, s`);
  for (let day = today - days + 1; day <= today; day += 1) await loadDay(run, day, { runs, agents, runsWithTrials });
  await run("vacuum (analyze)");
  await opened.close();
}

/** Tokens, and people who are signed in: each may make 600 requests in a minute. */
async function addPeople(run, nowMs) {
  const [hashOf, expiresMs] = [(secret) => createHash("sha256").update(secret).digest("hex"), nowMs + 90 * dayMs];
  for (const [index, token] of tokens.entries()) {
    await run(`insert into tokens (id, org_id, user_id, name, hash, scopes, projects, created_ms, expires_ms) values
      ('tok_${index}', '${org}', null, 't', '${hashOf(token)}', 'runs:write runs:read', null, ${nowMs}, ${expiresMs})`);
  }
  for (const [index, cookie] of cookies.entries()) {
    await run(
      `insert into users (id, email, password, created_ms) values ('usr_${index}', '${index}@example.com', '', ${nowMs})`,
    );
    await run(`insert into memberships (org_id, user_id, role) values ('${org}', 'usr_${index}', 'viewer')`);
    await run(
      `insert into sessions (hash, org_id, user_id, expires_ms) values ('${hashOf(cookie)}', '${org}', 'usr_${index}', ${expiresMs})`,
    );
  }
}

async function loadDay(run, day, { runs, agents, runsWithTrials }) {
  for (const table of ["case_results", "trials", "transcripts"]) {
    await run(
      `create table if not exists ${table}_${day} partition of ${table} for values from (${day}) to (${day + 1})`,
    );
  }
  // A case in 20 passes in four of five runs, whatever the agent; the others break with some agents only.
  await run(`insert into case_results (day, run_id, case_key, org_id, project_id, started_ms, status, passes, counted, mixed,
      latency_ms, cost_usd, error_code, agent_hash, check_hash)
    select ${day}, r.id, c.key, r.org_id, r.project_id, r.started_ms, case when x.fails then 'failed' else 'passed' end,
      case when x.fails then 2 else 5 end, 5, x.fails, 500 + (r.id * 31 + c.key * 17) % 900, 0.0015, null,
      'agent-' || (r.id * ${agents} / ${runs}), 'check-' || (c.key % 7)
    from runs r cross join cases c cross join lateral (
      select case when c.key % 20 = 0 then (r.id * 13 + c.key) % 5 = 0 else (r.id * ${agents} / ${runs} + c.key) % 97 = 0 end as fails) x
    where r.day = ${day} order by r.id, c.key`);
  await run(`insert into trials (day, run_id, place, cases, org_id, document)
    select ${day}, r.id, place, ${blockCases}, r.org_id, decode('${trialsOfBlock}', 'hex')
    from runs r cross join generate_series(1, r.cases, ${blockCases}) place
    where r.day = ${day} and r.id > ${runs - runsWithTrials} order by r.id, place`);
  await run(`insert into case_days (org_id, project_id, case_key, day, agent_hash, check_hash, runs, passed, failed, errored, mixed, passes, counted)
    select org_id, project_id, case_key, day, agent_hash, check_hash, count(*), sum((status = 'passed')::int),
      sum((status = 'failed')::int), 0, sum(mixed::int), sum(passes), sum(counted)
    from case_results where day = ${day} group by 1, 2, 3, 4, 5, 6 order by case_key`);
}

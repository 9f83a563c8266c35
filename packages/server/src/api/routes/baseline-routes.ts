import * as z from "zod";
import { noteAction } from "../../auth/audit.js";
import { inTransaction } from "../../database/retry-conflicts.js";
import { pageSize, parseCursor, renderCursor } from "../../history/cursor.js";
import { findComplete } from "../../runs/find-run.js";
import { invalid, notFound } from "../api-error.js";
import { defineRoute, noBody, noQuery, projectOf } from "../route.js";
import { errorReply, pageOf } from "./reply-schemas.js";

const side = z.object({
  case_id: z.string(),
  status: z.enum(["passed", "failed", "errored", "skipped"]),
  passes: z.number(),
  counted: z.number(),
  agent_hash: z.string().nullable(),
  check_hash: z.string().nullable(),
});
/** What a baseline keeps of its run, which may go before it. */
const baselineDocument = z.object({
  commit: z.string().nullable(),
  branch: z.string().nullable(),
  started_ms: z.number(),
  passed: z.number(),
  failed: z.number(),
  errored: z.number(),
  pass_rate: z.number().nullable(),
  cases: z.array(side),
});
const baselineRow = z.object({ id: z.number(), suite: z.string(), run: z.string().nullable(), set_ms: z.number() });
const baselineReply = baselineRow.extend({ baseline: baselineDocument });

const path = "/projects/{project}/baselines";

export const putBaseline = defineRoute({
  method: "put",
  path: `${path}/{suite}`,
  summary: "Note that a run is the baseline of a suite from now on. Earlier ones stay in the history",
  scope: "baselines:write",
  limit: "write",
  body: z.object({ run: z.string() }),
  query: noQuery,
  replies: { 200: baselineRow, 201: baselineRow, 404: errorReply, 422: errorReply },
  async handle({ world, caller, params, body, ...call }) {
    const project = projectOf(call);
    const suite = params["suite"] ?? "";
    const run = await findComplete(world.database, project, body.run);
    const measured = run.document.suites.find(({ name }) => name === suite);
    if (measured === undefined) throw invalid(`Run ${body.run} has no suite "${suite}"`);
    const cases = await world.database
      .selectFrom("case_results as r")
      .innerJoin("cases as c", "c.key", "r.case_key")
      .select(["c.case_id", "r.status", "r.passes", "r.counted", "r.agent_hash", "r.check_hash"])
      .where("r.org_id", "=", project.org_id)
      .where("c.org_id", "=", project.org_id)
      .where("r.run_id", "=", run.id)
      .where("r.day", "=", run.day)
      .where("c.suite", "=", suite)
      .orderBy("c.key")
      .execute();
    if (cases.length < measured.cases) throw invalid(`The cases of run ${body.run} are no longer kept`);
    const { passed, failed, errored, passRate: pass_rate } = measured.figures;
    const { commit, branch, started_ms } = run;
    const document = { commit, branch, started_ms, passed, failed, errored, pass_rate, cases };
    const own = { org_id: project.org_id, project_id: project.id, suite, run: body.run };
    const { isNew, row } = await inTransaction(world.database, async (work) => {
      // Of two at once, the second sees what the first has written.
      await work.selectFrom("projects").select("id").where("id", "=", project.id).forNoKeyUpdate().execute();
      const [newest] = await work
        .selectFrom("baselines")
        .select(["id", "suite", "run", "set_ms"])
        .where("org_id", "=", project.org_id)
        .where("project_id", "=", project.id)
        .where("suite", "=", suite)
        .orderBy("id", "desc")
        .limit(1)
        .execute();
      if (newest?.run === body.run) return { isNew: false, row: newest };
      const made = await work
        .insertInto("baselines")
        .values({ ...own, set_ms: world.now(), document: JSON.stringify(document) })
        .returning(["id", "suite", "run", "set_ms"])
        .executeTakeFirstOrThrow();
      await noteAction({ ...world, database: work }, caller, "baseline.set", `${project.name} ${suite}`);
      return { isNew: true, row: made };
    });
    return { status: isNew ? 201 : 200, body: row };
  },
});

export const listBaselines = defineRoute({
  method: "get",
  path,
  summary: "List the baselines of all suites or of one, the newest first, without their cases",
  scope: "runs:read",
  limit: "read",
  body: noBody,
  query: z.object({ suite: z.string().optional(), after: z.string().optional() }),
  replies: { 200: pageOf(baselineRow), 422: errorReply },
  async handle({ world, query: { suite, after }, ...call }) {
    const project = projectOf(call);
    let query = world.database
      .selectFrom("baselines")
      .select(["id", "suite", "run", "set_ms"])
      .where("org_id", "=", project.org_id)
      .where("project_id", "=", project.id);
    if (suite !== undefined) query = query.where("suite", "=", suite);
    if (after !== undefined) query = query.where("id", "<", parseCursor(after)[1]);
    const rows = await query
      .orderBy("id", "desc")
      .limit(pageSize + 1)
      .execute();
    const items = rows.slice(0, pageSize);
    const last = items.at(-1);
    const next = rows.length > pageSize && last !== undefined ? renderCursor(last.set_ms, last.id) : null;
    return { status: 200, body: { items, next } };
  },
});

export const showBaseline = defineRoute({
  method: "get",
  path: `${path}/{suite}`,
  summary: "Show the baseline of a suite with its cases: the newest, or an earlier one by its ID",
  scope: "runs:read",
  limit: "read",
  body: noBody,
  query: z.object({ id: z.coerce.number().int().min(1).optional() }),
  replies: { 200: baselineReply, 404: errorReply },
  async handle({ world, params, query: { id }, ...call }) {
    const project = projectOf(call);
    let query = world.database
      .selectFrom("baselines")
      .select(["id", "suite", "run", "set_ms", "document as baseline"])
      .where("org_id", "=", project.org_id)
      .where("project_id", "=", project.id)
      .where("suite", "=", params["suite"] ?? "");
    if (id !== undefined) query = query.where("id", "=", id);
    const found = await query.orderBy("id", "desc").limit(1).executeTakeFirst();
    if (found === undefined) throw notFound("Baseline");
    return { status: 200, body: found };
  },
});

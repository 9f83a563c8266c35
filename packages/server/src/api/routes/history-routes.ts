import * as z from "zod";
import { compareRuns, readFlaky, type HistoryOf } from "../../history/read-history.js";
import { readCaseTrend, readSuiteTrend } from "../../history/read-trends.js";
import { pageSize } from "../../history/cursor.js";
import { listRuns as listRunsOf } from "../../history/list-runs.js";
import type { ProjectRow } from "../../database/tables.js";
import { findComplete, findNewest } from "../../runs/find-run.js";
import { invalid, notFound } from "../api-error.js";
import { defineRoute, noBody, projectOf, type ApiWorld } from "../route.js";
import { errorReply, pageOf, runRowReply } from "./reply-schemas.js";

const path = "/projects/{project}";
const shared = { method: "get", scope: "runs:read", limit: "read", body: noBody } as const;

const mostItems = z.coerce.number().int().min(1).max(pageSize).default(pageSize);

const historyOf = (world: ApiWorld, project: ProjectRow): HistoryOf => ({
  database: world.database,
  orgId: project.org_id,
  projectId: project.id,
});

export const listRuns = defineRoute({
  ...shared,
  path: `${path}/runs`,
  summary: "List runs, the newest first",
  query: z.object({ branch: z.string().optional(), after: z.string().optional(), most: mostItems }),
  replies: { 200: pageOf(runRowReply), 422: errorReply },
  async handle({ world, query: { branch, after, most }, ...call }) {
    return { status: 200, body: await listRunsOf(historyOf(world, projectOf(call)), { branch, after, most }) };
  },
});

export const compare = defineRoute({
  ...shared,
  path: `${path}/compare`,
  summary: "Compare two runs, or the newest runs of two branches: the cases that differ",
  query: z.object({ before: z.string(), after: z.string(), by: z.enum(["run", "branch"]).default("run") }),
  replies: {
    200: z.object({ before: runRowReply, after: runRowReply, cases: z.array(z.unknown()) }),
    404: errorReply,
  },
  async handle({ world, query: { before, after, by }, ...call }) {
    const project = projectOf(call);
    const [one, other] = await Promise.all(
      [before, after].map(async (name) =>
        findComplete(world.database, project, by === "run" ? name : await findNewest(world.database, project, name)),
      ),
    );
    if (one === undefined || other === undefined) throw notFound("Run");
    const cases = await compareRuns(historyOf(world, project), one, other);
    const rowOf = ({ id: _id, day: _day, document: _document, ...row }: typeof one) => row;
    return { status: 200, body: { before: rowOf(one), after: rowOf(other), cases } };
  },
});

const point = z.object({
  run: z.string(),
  started_ms: z.number(),
  passed: z.number(),
  counted: z.number(),
  rate: z.number().nullable(),
  interval: z.tuple([z.number(), z.number()]).nullable().describe("Wilson 95% interval"),
  cost_usd: z.number().nullable(),
  latency_ms: z.number().nullable(),
  changed: z.array(z.enum(["agent", "check", "config"])).describe("What is not as in the item before"),
});

export const trends = defineRoute({
  ...shared,
  path: `${path}/trends`,
  summary: "Show the newest results of a suite or a case, with intervals",
  query: z.object({
    suite: z.string().optional(),
    case: z.string().optional(),
    branch: z.string().optional(),
    most: mostItems,
  }),
  replies: { 200: z.object({ items: z.array(point) }), 422: errorReply },
  async handle({ world, query: { suite, case: caseId, branch = null, most }, ...call }) {
    const history = historyOf(world, projectOf(call));
    if (suite !== undefined) {
      return { status: 200, body: { items: await readSuiteTrend(history, suite, branch, most) } };
    }
    if (caseId === undefined) throw invalid("Name a suite or a case");
    return { status: 200, body: { items: await readCaseTrend(history, caseId, branch, most) } };
  },
});

export const flaky = defineRoute({
  ...shared,
  path: `${path}/flaky`,
  summary: "Rank cases that vary while agent and check stay the same",
  query: z.object({ days: z.coerce.number().int().min(1).max(400).default(30) }),
  replies: {
    200: z.object({
      items: z.array(
        z.object({
          case_id: z.string(),
          suite: z.string(),
          runs: z.number(),
          passed: z.number(),
          failed: z.number(),
          errored: z.number(),
          mixed: z.number(),
          rarer: z.number().describe("Runs with the rarer outcome of the same agent and check"),
          flakiness: z.number(),
        }),
      ),
    }),
  },
  async handle({ world, query: { days }, ...call }) {
    const found = await readFlaky(historyOf(world, projectOf(call)), { days, nowMs: world.now(), most: pageSize });
    return { status: 200, body: { items: found } };
  },
});

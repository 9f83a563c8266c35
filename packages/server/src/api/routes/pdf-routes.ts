import * as z from "zod";
import { summarizeRun } from "../../pdf/run-summary.js";
import { writePdf } from "../../pdf/write-pdf.js";
import { findComplete } from "../../runs/find-run.js";
import { planRequired } from "../api-error.js";
import { defineRoute, noBody, noQuery, projectOf } from "../route.js";
import { errorReply } from "./reply-schemas.js";

const mostCases = 200;

export const exportPdf = defineRoute({
  method: "get",
  path: "/projects/{project}/runs/{run}/pdf",
  summary: "Show a run as a PDF. Organizations of the plan `free` need a higher one",
  scope: "runs:read",
  limit: "read",
  body: noBody,
  query: noQuery,
  replies: { 200: z.string(), 403: errorReply, 404: errorReply },
  replyType: "application/pdf",
  async handle({ world, params, ...call }) {
    const project = projectOf(call);
    const org = await world.database
      .selectFrom("orgs")
      .select("plan")
      .where("id", "=", project.org_id)
      .executeTakeFirstOrThrow();
    if (org.plan === "free") throw planRequired("pdf_export", org.plan);
    const run = await findComplete(world.database, project, params["run"] ?? "");
    const rows = await world.database
      .selectFrom("case_results as r")
      .innerJoin("cases as c", "c.key", "r.case_key")
      .select(["c.case_id", "r.status", "r.passes", "r.counted"])
      .where("r.org_id", "=", project.org_id)
      .where("c.org_id", "=", project.org_id)
      .where("r.run_id", "=", run.id)
      .where("r.day", "=", run.day)
      .where("r.status", "in", ["failed", "errored"])
      .orderBy("c.key")
      .limit(mostCases)
      .execute();
    const all = run.failed + run.errored;
    const lines = summarizeRun({
      project: project.name,
      run: run.document,
      uploadedMs: run.uploaded_ms,
      failed: rows,
      more: Math.max(0, all - rows.length),
    });
    return { status: 200, body: writePdf(`${project.name}: run ${run.run}`, lines) };
  },
});

import { notFound } from "../api/api-error.js";
import { projectOf } from "../api/route.js";
import { describeCaseReport, describeRunReport } from "../report/run-report.js";
import { keptReports } from "../report/kept-reports.js";
import { findComplete } from "../runs/find-run.js";
import { definePage, type PageCall } from "./page.js";

async function openReport({ world, caller, params, ...call }: PageCall) {
  const project = projectOf(call);
  const { id, day, document } = await findComplete(world.database, project, params["run"] ?? "");
  const reader = { database: world.database, seesTranscripts: caller.scopes.has("transcripts:read") };
  return { reader, run: { orgId: project.org_id, id, day, document } };
}

/** All that lists, filters and the overview of the viewer need. */
export const reportIndex = definePage({
  path: "/p/{project}/runs/{run}/report",
  needs: "runs:read",
  async render(call) {
    const { reader, run } = await openReport(call);
    const { database, seesTranscripts } = reader;
    const key = `${run.id} ${seesTranscripts}`;
    const json = await keptReports(database).get(key, call.world.now(), () => describeRunReport(reader, run));
    return { json };
  },
});

/** The trials of a case, which the viewer asks for when it opens: with their transcripts under `transcripts:read` alone. */
export const reportCase = definePage({
  path: "/p/{project}/runs/{run}/report/{key}",
  needs: "runs:read",
  async render(call) {
    const key = call.params["key"] ?? "";
    const { reader, run } = await openReport(call);
    const json = /^\d{1,15}$/.test(key) ? await describeCaseReport(reader, run, Number(key)) : null;
    if (json === null) throw notFound("Case");
    return { json };
  },
});

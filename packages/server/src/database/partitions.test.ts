import { expect, it } from "vitest";
import { sampleUpload } from "../__fixtures__/sample-upload.js";
import { forgetOtherServers, startTestServer } from "../__fixtures__/test-server.js";
import { applyRetention } from "./partitions.js";

it("removes what a project no longer keeps, and uploads that were not completed", async () => {
  await forgetOtherServers();
  const server = await startTestServer({ accepts: "transcripts" });
  const { database } = server.opened;
  const [dayMs, start] = [86_400_000, server.clock.now];
  const spoken = sampleUpload({ run: "old" });
  const cases = spoken.cases.map((one) => ({ ...one, transcripts: [{ trial: 1 }] }));
  const put = (run: string, body: object) => server.send(`/projects/shop/runs/${run}`, { method: "PUT", body });
  expect(await put("old", { run: spoken.run, cases })).toMatchObject({ status: 201 });
  expect(await put("open", { run: { ...spoken.run, run: "open" } })).toMatchObject({ status: 201 });
  const replaced = { ...spoken.run, resumed: 1 };
  expect(await put("old", { run: replaced, cases })).toMatchObject({ status: 201 });
  const left = async (): Promise<Record<string, number>> => {
    const counts: Record<string, number> = {};
    for (const table of ["runs", "trials", "transcripts", "case_results", "case_days", "audit_log"] as const) {
      const rows = await database.selectFrom(table).select("org_id").where("org_id", "=", server.orgId).execute();
      counts[table] = rows.length;
    }
    return counts;
  };
  expect(await left()).toEqual({ runs: 2, trials: 1, transcripts: 1, case_results: 1, case_days: 0, audit_log: 1 });
  await applyRetention(database, start + 15 * dayMs);
  expect(await left()).toEqual({ runs: 1, trials: 1, transcripts: 0, case_results: 1, case_days: 1, audit_log: 1 });
  await applyRetention(database, start + 31 * dayMs);
  expect(await left()).toEqual({ runs: 1, trials: 0, transcripts: 0, case_results: 0, case_days: 1, audit_log: 1 });
  await applyRetention(database, start + 401 * dayMs);
  expect(await left()).toEqual({ runs: 0, trials: 0, transcripts: 0, case_results: 0, case_days: 0, audit_log: 0 });
});

import { expect, it } from "vitest";
import { sampleUpload } from "../__fixtures__/sample-upload.js";
import { startTestServer } from "../__fixtures__/test-server.js";

const all = [
  ...(["runs", "case_days", "cases", "case_results", "trials", "transcripts", "suite_results", "parts"] as const),
  ...(["baselines", "webhooks", "deliveries", "trusts", "projects", "uncounted_runs"] as const),
];

it("projects are listed, changed and renamed", async () => {
  const server = await startTestServer();
  for (const name of ["app", "web"]) await server.send("/projects", { method: "POST", body: { name } });
  const names = async (query = "", token = server.token) =>
    (await server.send(`/projects${query}`, { token })).json["items"] as { name: string }[];
  expect(await names()).toMatchObject([{ name: "app" }, { name: "shop", accepts: [], run_days: 400 }, { name: "web" }]);
  expect(await names("?after=shop")).toMatchObject([{ name: "web" }]);
  expect(await names("", await server.tokenFor(["runs:read"], [server.projectId]))).toMatchObject([{ name: "shop" }]);
  const change = (body: object, name = "shop") => server.send(`/projects/${name}`, { method: "PATCH", body });
  expect(await change({ accepts: ["messages"], case_days: 7 })).toMatchObject({ status: 200, json: { case_days: 7 } });
  expect((await server.send("/projects/shop")).json).toEqual({
    name: "shop",
    accepts: ["messages"],
    transcript_days: 14,
    case_days: 7,
    run_days: 400,
    created_ms: server.clock.now,
  });
  expect(await change({ run_days: 0 })).toMatchObject({ status: 422 });
  expect(await change({ name: "a b" })).toMatchObject({ status: 422 });
  const taken = { status: 409, json: { error: "conflict", message: 'Project "web" exists' } };
  expect(await change({ name: "web" })).toMatchObject(taken);
  expect(await change({ name: "store", accepts: [] })).toMatchObject({
    status: 200,
    json: { name: "store", case_days: 7 },
  });
  expect(await server.send("/projects/shop")).toMatchObject({ status: 404 });
  expect(await change({}, "store")).toMatchObject({ status: 200, json: { accepts: [] } });
  const log = (await server.send("/audit")).json["items"] as { action: string }[];
  expect(log.map(({ action }) => action)).toContain("project.change");
});

it("a deleted project leaves no row but those of the audit log, and takes no upload", async () => {
  const [server, other] = [await startTestServer({ accepts: "transcripts" }), await startTestServer()];
  const { database } = server.opened;
  const put = (of: typeof server, run: string, transcripts?: object[]) => {
    const upload = sampleUpload({ run });
    const cases = upload.cases.map((one) => ({ ...one, ...(transcripts === undefined ? {} : { transcripts }) }));
    return of.send(`/projects/shop/runs/${run}`, { method: "PUT", body: { ...upload, cases } });
  };
  const post = (path: string, body: object) => server.send(`/projects/shop/${path}`, { method: "POST", body });
  await post("webhooks", { url: "https://hooks.example.com/", events: ["run.completed"] });
  await post("trusts", { repository_id: "1" });
  expect(await put(server, "r1", [{ trial: 1 }])).toMatchObject({ status: 201 });
  expect(await server.send("/projects/shop/flaky")).toMatchObject({ status: 200 });
  server.clock.now += 86_400_000;
  expect(await put(server, "r2")).toMatchObject({ status: 201 });
  await server.send("/projects/shop/baselines/refunds", { method: "PUT", body: { run: "r2" } });
  const { run } = sampleUpload({ run: "open" });
  await server.send("/projects/shop/runs/open", { method: "PUT", body: { run } });
  await server.send("/projects/shop/runs/open/parts/1", {
    method: "PUT",
    raw: JSON.stringify(sampleUpload({ run: "open" }).cases[0]),
  });
  expect(await put(other, "r1")).toMatchObject({ status: 201 });
  const tablesWith = async ({ orgId }: typeof server) => {
    const counts = await Promise.all(
      all.map(async (table) => {
        const rows = await database.selectFrom(table).select("org_id").where("org_id", "=", orgId).execute();
        return rows.length > 0 ? [table] : [];
      }),
    );
    return counts.flat();
  };
  expect(await tablesWith(server)).toEqual(all);
  const kept = await tablesWith(other);
  const [removed, late] = await Promise.all([server.send("/projects/shop", { method: "DELETE" }), put(server, "late")]);
  expect(removed).toMatchObject({ status: 200, json: { name: "shop" } });
  expect([201, 404]).toContain(late.status);
  expect(await tablesWith(server)).toEqual([]);
  expect(await tablesWith(other)).toEqual(kept);
  expect(await put(server, "r3")).toMatchObject({ status: 404 });
  const log = (await server.send("/audit")).json["items"] as { action: string; subject: string }[];
  expect(log[0]).toMatchObject({ action: "project.delete", subject: "shop" });
  expect(log.length).toBeGreaterThan(2);
});

import { expect, it } from "vitest";
import { sampleUpload, type SampleRun } from "../__fixtures__/sample-upload.js";
import { forgetOtherServers, startTestServer } from "../__fixtures__/test-server.js";
import { applyRetention } from "../database/partitions.js";

it("a baseline names a run, keeps its measurements, and the history of those before it", async () => {
  await forgetOtherServers();
  const server = await startTestServer();
  const upload = (run: SampleRun) =>
    server.send(`/projects/shop/runs/${run.run}`, { method: "PUT", body: sampleUpload(run) });
  await upload({ run: "one", cases: [{ name: "a" }, { name: "b", status: "failed" }] });
  await upload({ run: "two", cases: [{ name: "a" }, { name: "b" }] });
  const at = "/projects/shop/baselines";
  const set = (run: string, suite = "refunds") =>
    server.send(`${at}/${encodeURIComponent(suite)}`, { method: "PUT", body: { run } });
  expect(await server.send(`${at}/refunds`)).toMatchObject({ status: 404, json: { message: "Baseline not found" } });
  const [first, again] = [await set("one"), await set("one")];
  expect(first).toMatchObject({ status: 201, json: { suite: "refunds", run: "one", set_ms: server.clock.now } });
  expect(again).toMatchObject({ status: 200, json: first.json });
  expect(await set("two")).toMatchObject({ status: 201 });
  expect(await set("three")).toMatchObject({ status: 404, json: { message: "Run not found" } });
  expect(await set("two", "a/b %")).toMatchObject({ status: 422, json: { message: 'Run two has no suite "a/b %"' } });
  const list = async (query = "") => (await server.send(`${at}${query}`)).json;
  expect(await list()).toMatchObject({ items: [{ run: "two" }, { run: "one" }], next: null });
  expect(await list("?suite=other")).toEqual({ items: [], next: null });
  const { id } = first.json;
  expect(await list(`?after=${String(server.clock.now)}.${String(Number(id) + 1)}`)).toMatchObject({ items: [{ id }] });
  expect((await server.send("/audit")).json["items"]).toMatchObject([
    { action: "baseline.set", subject: "shop refunds" },
    { action: "baseline.set" },
  ]);
  // The run and its cases may be gone.
  await applyRetention(server.opened.database, server.clock.now + 401 * 86_400_000);
  expect(await server.send(`${at}/refunds`)).toMatchObject({
    json: { run: "two", baseline: { passed: 2, failed: 0 } },
  });
  const { status, json } = await server.send(`${at}/refunds?id=${String(id)}`);
  expect({ status, json }).toEqual({
    status: 200,
    json: {
      ...first.json,
      baseline: {
        commit: "abc",
        branch: "main",
        started_ms: Date.parse("2026-02-15T10:30:00.000Z"),
        passed: 1,
        failed: 1,
        errored: 0,
        pass_rate: 0.5,
        cases: [
          {
            case_id: "refunds/a@gpt",
            status: "passed",
            passes: 2,
            counted: 2,
            agent_hash: "agent-1",
            check_hash: "check-1",
          },
          {
            case_id: "refunds/b@gpt",
            status: "failed",
            passes: 0,
            counted: 2,
            agent_hash: "agent-1",
            check_hash: "check-1",
          },
        ],
      },
    },
  });
});

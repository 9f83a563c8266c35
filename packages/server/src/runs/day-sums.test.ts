import { expect, it } from "vitest";
import { sampleUpload } from "../__fixtures__/sample-upload.js";
import { startTestServer } from "../__fixtures__/test-server.js";

it("runs are in the daily sums with the 24th of them or the first reader, and once if one is replaced meanwhile", async () => {
  const server = await startTestServer();
  const { database } = server.opened;
  const put = async (run: string, changes: object = {}) => {
    const upload = sampleUpload({ run, cases: [{ name: "a", passes: 1 }] });
    const body = { ...upload, run: { ...upload.run, ...changes } };
    return (await server.send(`/projects/shop/runs/${run}`, { method: "PUT", body })).status;
  };
  const state = async () => {
    const list = await database
      .selectFrom("uncounted_runs")
      .select("run_id")
      .where("project_id", "=", server.projectId)
      .execute();
    const sums = await database
      .selectFrom("case_days")
      .select("runs")
      .where("project_id", "=", server.projectId)
      .execute();
    return { list: list.length, sums: sums.map(({ runs }) => runs) };
  };
  for (let count = 0; count < 23; count += 1) expect(await put(`r${count}`)).toBe(201);
  expect(await state()).toEqual({ list: 23, sums: [] });
  expect(await put("r0", { resumed: 1 })).toBe(201);
  expect(await state()).toEqual({ list: 23, sums: [] });
  expect(await put("r23")).toBe(201);
  expect(await state()).toEqual({ list: 0, sums: [24] });
  expect(await put("r1", { resumed: 1 })).toBe(201);
  expect(await state()).toEqual({ list: 1, sums: [23] });
  expect((await server.send("/projects/shop/flaky")).json["items"]).toMatchObject([{ runs: 24, mixed: 24 }]);
  expect(await state()).toEqual({ list: 0, sums: [24] });
});

import { expect, it } from "vitest";
import { sampleUpload } from "../__fixtures__/sample-upload.js";
import { startTestServer } from "../__fixtures__/test-server.js";
import { makePartitions } from "../database/partitions.js";
import { compressText } from "./compress-document.js";
import { readCase, readCasePage, readCases } from "./read-cases.js";

it("finds cases by their place, in blocks and as earlier versions stored them", async () => {
  const { opened, orgId } = await startTestServer();
  const { database } = opened;
  const names = Array.from({ length: 12 }, (_, index) => ({ name: `case-${index + 1}` }));
  const { cases } = sampleUpload({ run: "x", cases: names });
  const run = { orgId, id: 1, day: 20_000 };
  const blocks = [cases.slice(0, 5), cases.slice(5, 6), cases.slice(6, 12)];
  const single = (at: number) => ({ place: 700 + 3 * at, cases: 1, json: JSON.stringify(cases[at]) });
  const forms = [
    {
      id: Date.now(),
      rows: blocks.map((block, index) => ({
        place: [1, 6, 7][index] ?? 0,
        cases: block.length,
        json: JSON.stringify(block),
      })),
      places: cases.map((_, index) => index + 1),
    },
    { id: Date.now() + 1, rows: cases.map((_, at) => single(at)), places: cases.map((_, at) => 700 + 3 * at) },
  ];
  await database.transaction().execute((work) => makePartitions(work, run.day));
  for (const { id, rows, places } of forms) {
    for (const { json, ...numbers } of rows) {
      const values = { ...numbers, org_id: orgId, day: run.day, run_id: id, document: compressText(json) };
      await database.insertInto("trials").values(values).execute();
    }
    const own = { ...run, id };
    expect(await readCases(database, own)).toEqual(cases);
    for (let at = 0; at <= cases.length; at += 1) {
      for (const most of [1, 2, 5, 6, 100]) {
        const page = await readCasePage(database, own, { after: places[at - 1] ?? 0, most });
        const wanted = cases.slice(at, at + most);
        expect(page, `${most} after ${at}`).toEqual(
          wanted.map((document, index) => ({ place: places[at + index], document })),
        );
      }
    }
    for (const [index, place] of places.entries()) expect(await readCase(database, own, place)).toEqual(cases[index]);
    expect(await readCase(database, own, 0)).toBeNull();
    expect(await readCase(database, own, (places.at(-1) ?? 0) + 1)).toBeNull();
  }
});

import { gzipSync } from "node:zlib";
import { mergeUploads, type RunDocument, type UploadDocument } from "@kindlm/core/upload";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { makeProject } from "../../../core/src/__fixtures__/make-project.js";
import { mergeRuns } from "../../../core/src/commands/merge-runs.js";
import { runForUpload, uploadedProject, uploadOf } from "../../../core/src/upload/__fixtures__/uploaded-runs.js";
import { inflatingTo } from "../__fixtures__/inflating-to.js";
import { sampleUpload } from "../__fixtures__/sample-upload.js";
import { startTestServer, type TestServer } from "../__fixtures__/test-server.js";
import { addNow } from "../runs/day-sums.js";

const at = (run: string): string => `/projects/shop/runs/${run}`;
const casesOf = ({ json }: { json: Record<string, unknown> }) => json["items"] as UploadDocument["cases"];
const put = (server: TestServer, upload: UploadDocument, cases = true) =>
  server.send(at(upload.run.run), { method: "PUT", body: cases ? upload : { run: upload.run } });

/** The same run after it went on. */
const later = (run: RunDocument, resumed: number): RunDocument => ({ ...run, interrupted: false, resumed });

/** How often each case is counted among the runs of its day. */
async function countedRuns({ opened, orgId, projectId }: TestServer): Promise<readonly number[]> {
  await addNow(opened.database, { orgId, projectId });
  const days = opened.database.selectFrom("case_days").select("runs").where("project_id", "=", projectId);
  return (await days.execute()).map(({ runs }) => runs);
}

/** How many rows an upload left in each table that it writes. */
async function tableRows({ opened, orgId, projectId }: TestServer): Promise<Record<string, number>> {
  await addNow(opened.database, { orgId, projectId });
  const tables = ["runs", "cases", "case_results", "suite_results", "trials", "case_days", "parts"] as const;
  const counts = tables.map(async (table) => {
    const rows = await opened.database.selectFrom(table).select("org_id").where("org_id", "=", orgId).execute();
    return [table, rows.length] as const;
  });
  return Object.fromEntries(await Promise.all(counts));
}

async function rowsOf({ opened, projectId }: TestServer): Promise<number> {
  const rows = await opened.database
    .selectFrom("case_results")
    .select("run_id")
    .where("project_id", "=", projectId)
    .execute();
  return rows.length;
}

describe("an upload", () => {
  it("is stored once, whoever sends it and however often", async () => {
    const server = await startTestServer();
    const upload = sampleUpload({ run: "run-1", cases: [{ name: "a" }, { name: "b", status: "failed" }] });
    const answers = await Promise.all(Array.from({ length: 8 }, () => put(server, upload)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([...Array(7).fill(200), 201]);
    const [alone, counted] = [await startTestServer(), { runs: 1, cases: 2, case_results: 2, case_days: 2 }];
    expect(await put(alone, upload)).toMatchObject({ status: 201 });
    expect(await tableRows(server)).toEqual({ ...(await tableRows(alone)), ...counted });
    expect(await countedRuns(server)).toEqual([1, 1]);
    expect(answers[0]?.json).toEqual({ run: "run-1", state: "complete", url: "http://127.0.0.1:4310/r/run-1" });
    const other = await put(server, { ...upload, run: { ...upload.run, branch: "other" } });
    expect(other).toMatchObject({ status: 409, json: { error: "conflict", details: {} } });
  });

  it("is replaced once the run was resumed, and what came before is refused from then on", async () => {
    const server = await startTestServer();
    const cases = [{ name: "a" }, { name: "b" }];
    const first = sampleUpload({ run: "resumed", cases: [{ name: "a", status: "failed" }] });
    first.run.interrupted = true;
    const whole = sampleUpload({ run: "resumed", cases });
    const second = { ...whole, run: later(whole.run, 1) };
    expect(await put(server, first)).toMatchObject({ status: 201 });
    expect(await put(server, whole)).toMatchObject({ status: 409 });
    const answers = await Promise.all(Array.from({ length: 4 }, () => put(server, second)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 200, 201]);
    expect(await put(server, first)).toMatchObject({ status: 409 });
    expect(
      await put(server, { ...second, run: { ...later(whole.run, 2), startedAt: whole.run.endedAt } }),
    ).toMatchObject({ status: 409 });
    expect([await rowsOf(server), await countedRuns(server)]).toEqual([2, [1, 1]]);
    expect((await server.send("/projects/shop/runs")).json["items"]).toMatchObject([{ run: "resumed", passed: 2 }]);
    expect((await server.send("/audit")).json["items"]).toMatchObject([{ action: "run.replace", subject: "resumed" }]);
    // In parts too, and in place of an upload that never came to its end.
    const third = { run: later(whole.run, 2), cases: whole.cases };
    expect(await put(server, { ...third, run: { ...third.run, branch: "other" } }, false)).toMatchObject({
      status: 201,
    });
    expect(await put(server, third)).toMatchObject({ status: 201 });
    expect([await rowsOf(server), await countedRuns(server)]).toEqual([2, [1, 1]]);
  });

  it("meets others without a loss: eight clients that upload the same cases", async () => {
    const server = await startTestServer();
    const names = Array.from({ length: 20 }, (_, index) => ({ name: `case-${index}` }));
    // The embedded database has one connection, where nobody waits for a row.
    const uploads = server.opened.kind === "embedded" ? 2 : 4;
    const client = async (number: number): Promise<readonly number[]> => {
      const statuses: number[] = [];
      for (let count = 0; count < uploads; count += 1) {
        const cases = number % 2 === 0 ? names : names.toReversed();
        statuses.push((await put(server, sampleUpload({ run: `r${number}-${count}`, cases }))).status);
      }
      return statuses;
    };
    const statuses = await Promise.all(Array.from({ length: 8 }, (_, number) => client(number)));
    expect(new Set(statuses.flat())).toEqual(new Set([201]));
    await addNow(server.opened.database, server);
    const days = server.opened.database.selectFrom("case_days").select(["runs", "passed"]);
    const rows = await days.where("project_id", "=", server.projectId).execute();
    expect(rows).toEqual(names.map(() => ({ runs: 8 * uploads, passed: 8 * uploads })));
  });

  it("is given back as it came", async () => {
    const server = await startTestServer();
    const upload = await uploadOf((await runForUpload()).folder);
    expect(await put(server, upload)).toMatchObject({ status: 201 });
    expect((await server.send(at(upload.run.run))).json["run"]).toEqual(upload.run);
    const cases: UploadDocument["cases"][number][] = [];
    for (let after = ""; after !== "null";) {
      const page = await server.send(`${at(upload.run.run)}/cases?most=4${after === "" ? "" : `&after=${after}`}`);
      cases.push(...casesOf(page));
      after = String(page.json["next"]);
    }
    expect(cases).toHaveLength(upload.cases.length);
    expect(new Map(cases.map((one) => [one.id, one]))).toEqual(new Map(upload.cases.map((one) => [one.id, one])));
  });

  it("comes in parts, which are visible once all are there", async () => {
    const server = await startTestServer();
    const upload = sampleUpload({ run: "parts", cases: [{ name: "a" }, { name: "b" }, { name: "c" }] });
    const [a, b, c] = upload.cases.map((one) => JSON.stringify(one));
    const send = (part: number, raw: string) =>
      server.send(`${at("parts")}/parts/${part}`, { method: "PUT", raw, headers: { "content-encoding": "identity" } });
    expect(await put(server, upload, false)).toMatchObject({ status: 201, json: { state: "uploading" } });
    expect(await send(1, `${a}\n${b}\n`)).toMatchObject({ status: 201, json: { part: 1, cases: 2 } });
    expect(await send(1, `${a}\n${b}\n`)).toMatchObject({ status: 200 });
    expect(await send(1, `${a}\n`)).toMatchObject({ status: 409 });
    expect(await send(101, `${a}\n`)).toMatchObject({ status: 422 });
    const tooMany = await send(2, `${a}\n`.repeat(1_001));
    expect(tooMany).toMatchObject({ status: 422, json: { message: "A part has 1 to 1000 cases" } });
    const complete = () => server.send(`${at("parts")}/complete`, { method: "POST" });
    expect(await complete()).toMatchObject({ status: 422, json: { message: "The run has 3 cases, but 2 were sent" } });
    expect(await server.send(at("parts"))).toMatchObject({ status: 404 });
    expect(await send(2, `${c}`)).toMatchObject({ status: 201 });
    expect(await complete()).toMatchObject({ status: 201, json: { state: "complete" } });
    expect(await complete()).toMatchObject({ status: 200 });
    expect(casesOf(await server.send(`${at("parts")}/cases`))).toHaveLength(3);
  });

  it("has one content for each part, also if another request stores it at the same moment", async () => {
    const server = await startTestServer();
    const { database } = server.opened;
    const upload = sampleUpload({ run: "two", cases: [{ name: "a" }, { name: "b" }] });
    expect(await put(server, upload, false)).toMatchObject({ status: 201 });
    const name = `meet_${server.orgId.replaceAll(/\W/g, "_")}`.toLowerCase();
    await sql
      .raw(
        `create function ${name}() returns trigger language plpgsql as $$ begin
          if pg_trigger_depth() = 1 and new.org_id = '${server.orgId}' then
            insert into parts (run_id, number, org_id, digest, cases, body)
            values (new.run_id, new.number, new.org_id, case new.number when 1 then 'other' else new.digest end, 1, new.body);
          end if;
          return new;
        end $$`,
      )
      .execute(database);
    await sql
      .raw(`create trigger ${name} before insert on parts for each row execute function ${name}()`)
      .execute(database);
    const send = (part: number) =>
      server.send(`${at("two")}/parts/${part}`, { method: "PUT", raw: JSON.stringify(upload.cases[0]) });
    expect(await send(1)).toMatchObject({ status: 409, json: { message: "Part 1 exists with other content" } });
    expect(await send(2)).toMatchObject({ status: 200 });
    await sql.raw(`drop function ${name}() cascade`).execute(database);
  });

  it("may have 5 MB, and 64 MB once inflated", async () => {
    const server = await startTestServer();
    const upload = sampleUpload({ run: "large" });
    const text = JSON.stringify(upload);
    const sized = (bytes: number): string => text + " ".repeat(bytes - text.length);
    const send = (raw: string | Buffer, headers = {}) => server.send(at("large"), { method: "PUT", raw, headers });
    const refused = { status: 413, json: { error: "payload_too_large", message: "The upload exceeds 5 MB" } };
    expect(await send(sized(5_242_881))).toMatchObject(refused);
    expect(await send(sized(5_242_880))).toMatchObject({ status: 201 });
    const gzip = { "content-encoding": "gzip" };
    // What counts is what was sent, here as it is, in blocks.
    const stored = (bytes: number): Buffer => {
      const least = gzipSync(text.padEnd(bytes - 1_000), { level: 0 }).length;
      return gzipSync(text.padEnd(bytes - 1_000 + bytes - least), { level: 0 });
    };
    const [most, oneMore] = [stored(5_242_880), stored(5_242_881)];
    expect([most.length, oneMore.length]).toEqual([5_242_880, 5_242_881]);
    expect(await send(oneMore, gzip)).toMatchObject(refused);
    // It is not refused for its size, but for the spaces, which the run above has more of.
    expect(await send(most, gzip)).toMatchObject({ status: 409 });
    const bomb = inflatingTo(67_108_865, 32);
    expect(bomb.length).toBeLessThan(100_000);
    expect(await send(bomb, gzip)).toMatchObject(refused);
    expect(await send(gzipSync(text), gzip)).toMatchObject({ status: 409 });
    expect(await send("no gzip", gzip)).toMatchObject({ status: 422 });
  });

  it("keeps names that are attacks as they are, and what no text can hold as U+FFFD", async () => {
    const server = await startTestServer();
    const hostile = `'; drop table runs; -- \\" <script>alert(1)</script> ../../etc \u202E 😀`;
    const upload = sampleUpload({ run: "hostile", cases: [{ name: hostile }, { name: "nul \u0000 half \ud83d." }] });
    expect(await put(server, upload)).toMatchObject({ status: 201 });
    const names = casesOf(await server.send(`${at("hostile")}/cases`)).map(({ name }) => name);
    expect(names).toEqual([hostile, "nul \uFFFD half \uFFFD."]);
    expect(await server.send("/projects/shop/runs/'%20or%201=1--")).toMatchObject({ status: 404 });
    expect(await server.send("/projects/..%2f..%2fshop/runs")).toMatchObject({ status: 404 });
  });
});

describe("what an upload may include", () => {
  it("is measurements, unless the project accepts more", async () => {
    const spoken = (upload: UploadDocument): UploadDocument => ({
      run: { ...upload.run, include: ["transcripts"] },
      cases: upload.cases.map((one) => ({ ...one, transcripts: [{ trial: 1, output: "canary" }] })),
    });
    const upload = spoken(sampleUpload({ run: "spoken", cases: [{ name: "a/b [ü]" }] }));
    const strict = await startTestServer();
    const refused = { status: 422, json: { message: 'Project "shop" does not accept transcripts' } };
    expect(await put(strict, upload)).toMatchObject(refused);
    expect(await put(strict, { ...upload, run: { ...upload.run, include: [] } })).toMatchObject(refused);
    const open = await startTestServer({ accepts: "transcripts" });
    expect(await put(open, upload)).toMatchObject({ status: 201 });
    expect((await open.send(`${at("spoken")}/cases`)).text).not.toContain("canary");
    const transcripts = (id: string, token = open.token) =>
      open.send(`${at("spoken")}/cases/${encodeURIComponent(id)}/transcripts`, { token });
    const id = "refunds/a/b [ü]@gpt";
    const transcript = { trial: 1, output: "canary" };
    expect(await transcripts(id)).toMatchObject({ status: 200, json: { case_id: id, transcripts: [transcript] } });
    expect(await transcripts("refunds/other@gpt")).toMatchObject({ status: 404 });
    const reader = await open.tokenFor(["runs:read"]);
    expect(await transcripts(id, reader)).toMatchObject({ status: 403 });
  });
});

describe("shards", () => {
  const ran = Promise.all([1, 2, 3].map((index) => runForUpload({ index, of: 3 })));
  const uploads = ran.then((all) => Promise.all(all.map(({ folder }) => uploadOf(folder))));
  const list = async (server: TestServer) =>
    (await server.send("/projects/shop/runs")).json["items"] as Record<string, unknown>[];

  it("become one run with the last of them, in whatever order they come", async () => {
    const server = await startTestServer();
    const [one, two, three] = await uploads;
    if (one === undefined || two === undefined || three === undefined) throw new Error("no shards");
    for (const upload of [three, one]) expect(await put(server, upload)).toMatchObject({ status: 201 });
    expect(await list(server)).toMatchObject(
      [{ shard_of: 3, note: "Shard 2 of 3 is missing" }, {}].map(() => ({ shard_of: 3 })),
    );
    expect(await put(server, two)).toMatchObject({ status: 201 });
    const [merged, ...others] = await list(server);
    expect(others).toEqual([]);
    expect(merged).toMatchObject({
      shard_of: null,
      passed: expect.any(Number) as number,
      errored: 2,
      verdict: "failed",
    });
    const flaky = await server.send("/projects/shop/flaky");
    expect(flaky.status).toBe(200);
  });

  it("give the run that kindlm merge makes of them, in any order", async () => {
    const folder = makeProject(uploadedProject);
    const merged = await mergeRuns({ paths: [], runs: (await ran).map(({ run }) => run) }, { env: {}, cwd: folder });
    if (!merged.success) throw new Error(merged.error.message);
    const expected = await uploadOf(folder);
    const all = await uploads;
    // Each shard comes last once, which merges them; the test above has another order.
    for (const order of ["012", "021", "210"]) {
      const server = await startTestServer();
      for (const index of order) for (const upload of all.slice(Number(index)).slice(0, 1)) await put(server, upload);
      const [row, ...others] = await list(server);
      expect(others).toEqual([]);
      const [run, cases] = [
        await server.send(at(String(row?.["run"]))),
        await server.send(`${at(String(row?.["run"]))}/cases`),
      ];
      expect(run.json["run"], order).toEqual({ ...expected.run, run: row?.["run"] });
      const byId = (these: UploadDocument["cases"]) => new Map(these.map((one) => [one.id, one]));
      expect(byId(casesOf(cases)), order).toEqual(byId(expected.cases));
    }
  });

  it("become another run when one of them was repeated or resumed, and count once", async () => {
    const server = await startTestServer();
    const [one, two, three] = (await uploads).map(({ run, cases }) => ({ run: { ...run, ciAttempt: "x:1" }, cases }));
    if (one === undefined || two === undefined || three === undefined) throw new Error("no shards");
    for (const upload of [one, two, three]) await put(server, upload);
    const counted = await countedRuns(server);
    const again = { ...two, run: { ...two.run, run: "repeated" } };
    const resumed = { ...three, run: later(three.run, 1) };
    for (const upload of [again, resumed]) {
      expect(await put(server, upload)).toMatchObject({ status: 201 });
      const [merged, ...others] = await list(server);
      expect([merged?.["shard_of"], others]).toEqual([null, []]);
      expect((await countedRuns(server)).filter((runs) => runs > 0)).toEqual(counted);
    }
  });

  it("give way to the run that kindlm merge made of them, whichever came first", async () => {
    const server = await startTestServer();
    const [one, two, three] = await uploads;
    if (one === undefined || two === undefined || three === undefined) throw new Error("no shards");
    for (const upload of [one, two, three]) await put(server, upload);
    const counted = await countedRuns(server);
    const merged = await mergeUploads("by-hand", [one, two, three]);
    if (!merged.success) throw new Error(merged.error.message);
    expect(await put(server, merged.data)).toMatchObject({ status: 201 });
    expect(await list(server)).toMatchObject([{ run: "by-hand" }]);
    expect(await countedRuns(server)).toEqual(counted);
    const other = await startTestServer();
    for (const upload of [one, merged.data, three, two]) await put(other, upload);
    expect(await list(other)).toMatchObject([{ run: "by-hand" }]);
    expect(await countedRuns(other)).toEqual(counted);
  });

  it("of a build without an attempt do not replace those of an earlier build of the same commit", async () => {
    const server = await startTestServer();
    const all = await uploads;
    for (const build of ["a", "b"]) {
      for (const { run, cases } of all)
        await put(server, { run: { ...run, run: `${run.run}-${build}`, ciAttempt: null }, cases });
    }
    expect(await list(server)).toMatchObject([{ shard_of: null }, { shard_of: null }]);
  });

  it("stay apart with the reason if core refuses them", async () => {
    const server = await startTestServer();
    const parts = (await uploads).map(({ run, cases }) => ({
      run: { ...run, rules: { gates: { regressions: 0 } } },
      cases,
    }));
    for (const upload of parts) expect(await put(server, upload)).toMatchObject({ status: 201 });
    const rows = await list(server);
    expect(rows).toHaveLength(3);
    for (const { note } of rows)
      expect(note).toBe("Gate regressions compares with a baseline, which the server does not have");
  });
});

import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { makeProject } from "../../packages/core/src/__fixtures__/make-project.js";
import { createRandom } from "../../packages/core/src/values/random.js";
import { sampleUpload } from "../../packages/server/src/__fixtures__/sample-upload.js";
import { openEmbedded } from "../../packages/server/src/database/open-database.js";
import { addAllToSums } from "../../packages/server/src/runs/day-sums.js";
import { sendTo, setUpServer, startServerProcess, type StartedServer } from "../support/started-server.js";

const cases = Array.from({ length: 40 }, (_, index) => ({ name: `case-${index}` }));
const pathOf = (run: string): string => `/api/v1/projects/shop/runs/${run}`;

/** Uploads runs one after the other until the server is gone. Gives the acknowledged ones. */
async function uploadUntilKilled(origin: string, token: string, name: string, onStored: () => void): Promise<string[]> {
  const acknowledged: string[] = [];
  const send = sendTo(origin, token);
  for (let count = 0; ; count += 1) {
    const run = `${name}-${count}`;
    // Each run waits for the one before it.
    const answer = await send("PUT", pathOf(run), sampleUpload({ run, cases })).catch(() => null);
    if (answer === null) return acknowledged;
    expect(answer.status, JSON.stringify(answer.json)).toBe(201);
    acknowledged.push(run);
    onStored();
  }
}

it(
  "loses, doubles and tears no acknowledged run when it is killed a hundred times under upload",
  { timeout: 1_200_000 },
  async () => {
    const cwd = makeProject({});
    const random = createRandom(1);
    let token = "";
    const acknowledged: string[] = [];
    for (let kill = 0; kill < 100; kill += 1) {
      const server = await startServerProcess({ cwd });
      expect(server.origin, server.stderr()).not.toBe("");
      if (token === "") token = await setUpServer(server);
      let left = Math.floor(random() * 12);
      const clients = [0, 1, 2].map((client) =>
        uploadUntilKilled(server.origin, token, `k${kill}-${client}`, () => {
          left -= 1;
          // At any moment of the others: one of the three has just been answered.
          if (left === 0) setTimeout(() => server.child.kill("SIGKILL"), random() * 30);
        }),
      );
      if (left === 0) server.child.kill("SIGKILL");
      acknowledged.push(...(await Promise.all(clients)).flat());
      await server.ended;
    }
    const server = await startServerProcess({ cwd });
    // Whoever was not answered sends the run again.
    const again = sampleUpload({ run: "k0-0-0", cases });
    expect([200, 201]).toContain((await sendTo(server.origin, token)("PUT", pathOf("k0-0-0"), again)).status);
    server.child.kill("SIGTERM");
    await server.ended;
    const { database, close } = await openEmbedded(join(cwd, "kindlm-data"), process);
    const rows = await database.selectFrom("runs").select(["id", "run", "state", "cases"]).execute();
    const results = await database
      .selectFrom("case_results")
      .select((of) => ["run_id", of.fn.countAll<string>().as("count")])
      .groupBy("run_id")
      .execute();
    await addAllToSums(database);
    const summed = await database
      .selectFrom("case_days")
      .select((of) => of.fn.sum<string>("runs").as("runs"))
      .executeTakeFirstOrThrow();
    await close();
    const stored = rows.map(({ run }) => run);
    expect(acknowledged.length).toBeGreaterThan(300);
    expect(acknowledged.filter((run) => !stored.includes(run))).toEqual([]);
    expect(new Set(stored).size).toBe(stored.length);
    expect(rows.filter(({ state }) => state !== "complete")).toEqual([]);
    const countOf = new Map(results.map(({ run_id, count }) => [run_id, Number(count)]));
    expect(rows.filter(({ id, cases: wanted }) => countOf.get(id) !== wanted)).toEqual([]);
    expect(results).toHaveLength(rows.length);
    expect(Number(summed.runs)).toBe(rows.length * cases.length);
  },
);

/** The most memory of a process since `forget` was called, in bytes. Linux counts it. */
function peakOf({ child }: StartedServer): { forget(): void; read(): number } {
  return {
    forget: () => writeFileSync(`/proc/${child.pid}/clear_refs`, "5"),
    read: () => Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) * 1_024,
  };
}

it("refuses a bomb of 200 MB with little memory, and takes 5,242,880 bytes but not one more", async () => {
  const server = await startServerProcess({ cwd: makeProject({}) });
  const token = await setUpServer(server);
  const text = JSON.stringify(sampleUpload({ run: "sized" }));
  const put = async (body: Uint8Array, headers: Record<string, string> = {}): Promise<number> => {
    const all = { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers };
    const answer = await fetch(`${server.origin}${pathOf("sized")}`, {
      method: "PUT",
      headers: all,
      body: new Uint8Array(body),
    });
    await answer.arrayBuffer();
    return answer.status;
  };
  const sized = (bytes: number): Buffer => Buffer.from(text.padEnd(bytes));
  expect(await put(sized(5_242_881))).toBe(413);
  expect(await put(sized(5_242_880))).toBe(201);
  const bomb = gzipSync(Buffer.alloc(200_000_000, 32));
  const gzip = { "content-encoding": "gzip" };
  expect(bomb.length).toBeLessThan(400_000);
  const peak = peakOf(server);
  peak.forget();
  const before = peak.read();
  expect(await put(bomb, gzip)).toBe(413);
  expect((peak.read() - before) / 1_048_576).toBeLessThan(100);
  expect(await put(sized(5_242_880))).toBe(200);
});

it("cuts slow bodies off, which keep nobody else from uploading", { timeout: 120_000 }, async () => {
  const server = await startServerProcess({ cwd: makeProject({}) });
  const token = await setUpServer(server);
  const port = Number(new URL(server.origin).port);
  const slow = Array.from({ length: 60 }, () => {
    const socket = connect(port, "127.0.0.1");
    const head = [`PUT ${pathOf("slow")} HTTP/1.1`, `host: 127.0.0.1:${port}`, `authorization: Bearer ${token}`];
    socket.write(`${head.join("\r\n")}\r\ncontent-length: 1000000\r\n\r\n{`);
    const trickle = setInterval(() => socket.write(" "), 1_000);
    return new Promise<void>((resolve) => {
      socket.on("error", () => {});
      socket.on("close", () => {
        clearInterval(trickle);
        resolve();
      });
      socket.resume();
    });
  });
  const send = sendTo(server.origin, token);
  const uploads = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      send("PUT", pathOf(`fast-${index}`), sampleUpload({ run: `fast-${index}` })),
    ),
  );
  expect(uploads.map(({ status }) => status)).toEqual(uploads.map(() => 201));
  await Promise.all(slow);
  expect(await send("PUT", pathOf("after"), sampleUpload({ run: "after" }))).toMatchObject({ status: 201 });
});

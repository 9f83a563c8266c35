import type { UploadDocument } from "@kindlm/core/upload";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../../../core/src/__fixtures__/any-text.js";
import { draws } from "../../../core/src/__fixtures__/draws.js";
import { sampleUpload } from "../__fixtures__/sample-upload.js";
import { startTestServer, type Answered, type TestServer } from "../__fixtures__/test-server.js";

/** Text that compresses badly, as it counts for the row of an index. */
const dense = (length: number): string =>
  Array.from({ length }, (_, at) => String.fromCodePoint(0x4e_00 + ((at * at * 7_919 + at * 104_729) % 20_000))).join(
    "",
  );
const deep = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;

/** Values that are hardly names, numbers or times. */
const hostile = fc.oneof(
  fc.constantFrom<unknown>(
    "",
    "../../etc/passwd",
    "a\u0000b",
    "\uD83D",
    "'; drop table runs; --",
    "\u202Egnirts",
    "x".repeat(100_000),
    dense(666),
    dense(2_000),
    "+275760-09-13T00:00:00.000Z",
    "-271821-04-20T00:00:00.000Z",
    "0000-01-01T00:00:00.000Z",
    null,
    true,
    [],
    {},
    { constructor: null, toString: 1 },
    JSON.parse('{"__proto__":{"polluted":1}}'),
    0,
    -0,
    -1,
    0.5,
    1e300,
    -1e300,
    5e-324,
    2 ** 31,
    2 ** 53,
    2 ** 63,
    999_999_999,
    1_000_000_000,
  ),
  anyText({ maxLength: 40 }),
  fc.jsonValue({ maxDepth: 4 }),
);

/** Every place of a document, as the keys that lead there. */
function placesOf(value: unknown, place: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [place];
  return [place, ...Object.entries(value).flatMap(([key, inner]) => placesOf(inner, [...place, key]))];
}

/** The document with another value at a place. */
function withValue(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined || typeof value !== "object" || value === null) return by;
  if (Array.isArray(value))
    return value.map((inner: unknown, at) => (String(at) === key ? withValue(inner, rest, by) : inner));
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([name, inner]) => [name, name === key ? withValue(inner, rest, by) : inner]));
}

/** What an upload makes rows in, but for runs. */
const tables = ["cases", "case_results", "uncounted_runs", "case_days", "suite_results"] as const;

/** How many rows there were after the last request. */
const rowsBefore = new WeakMap<TestServer, number>();

async function countRows({ opened, projectId }: TestServer): Promise<number> {
  const rowsOf = (table: (typeof tables)[number] | "runs") =>
    opened.database.selectFrom(table).select("org_id").where("project_id", "=", projectId);
  // In one statement: they are counted after each request.
  const all = tables.reduce((query, table) => query.unionAll(rowsOf(table)), rowsOf("runs"));
  return (await all.execute()).length;
}

/** Sends what is refused or taken, with no word about the server's inside. */
async function expectStatus(server: TestServer, send: () => Promise<Answered>, name: string): Promise<number> {
  server.clock.now += 60_000;
  const { status, text } = await send();
  expect([200, 201, 404, 409, 413, 422], `${name}: ${text} ${JSON.stringify(server.logs)}`).toContain(status);
  return status;
}

/** Sends what is refused or taken, with no word about the server's inside, and nothing stored of what is refused. */
async function expectAnswer(server: TestServer, send: () => Promise<Answered>, name: string): Promise<number> {
  const before = rowsBefore.get(server) ?? (await countRows(server));
  const status = await expectStatus(server, send, name);
  const after = await countRows(server);
  rowsBefore.set(server, after);
  if (status >= 400) expect(after, name).toBe(before);
  return status;
}

const sample: UploadDocument = sampleUpload({ run: "x", cases: [{ name: "a" }, { name: "b", status: "errored" }] });
const places = placesOf(sample).filter((place) => place.join(".") !== "run.run");
const accepting = { accepts: "messages transcripts" };

describe("hostile uploads", () => {
  it("are answered with what is wrong about a value, and leave nothing behind", async () => {
    const server = await startTestServer(accepting);
    const statuses = new Set<number>();
    let number = 0;
    const change = fc.tuple(fc.constantFrom(...places), hostile);
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 2 }), async (changes) => {
        number += 1;
        const run = `run-${number}`;
        const named: unknown = { ...sample, run: { ...sample.run, run } };
        const body = changes.reduce((document, [place, by]) => withValue(document, place, by), named);
        const send = () => server.send(`/projects/shop/runs/${run}`, { method: "PUT", body });
        statuses.add(await expectAnswer(server, send, JSON.stringify(changes)));
      }),
      { numRuns: draws({ brief: 30, full: 4_000 }), seed: 19 },
    );
    expect(statuses).toEqual(new Set([201, 422]));
    expect((await server.send("/projects/shop/runs")).status).toBe(200);
  });

  it("have no body that breaks the server, whole or in parts", async () => {
    const server = await startTestServer(accepting);
    const [one] = sample.cases;
    const spoken = (json: string): string =>
      JSON.stringify({ ...one, transcripts: [{ said: 0 }] }).replace('"said":0', `"said":${json}`);
    const bodies: readonly (string | Uint8Array)[] = [
      "",
      "{",
      "null",
      "[]",
      '"text"',
      "1e999",
      "NaN",
      "\uFEFF{}",
      '{"run":',
      '{"__proto__":{"run":1}}',
      deep(300_000),
      Uint8Array.of(0xff, 0xfe, 0x7b),
      JSON.stringify({ run: sample.run, cases: [one, one] }),
      `{"run":${JSON.stringify(sample.run)},"cases":[${spoken(deep(100_000))}]}`,
    ];
    for (const [index, raw] of bodies.entries()) {
      const send = () => server.send("/projects/shop/runs/x", { method: "PUT", raw });
      expect(await expectAnswer(server, send, `body ${index}`)).toBe(422);
    }
    // No index has room for more.
    for (const place of ["cases.0.id", "cases.0.suite", "run.suites.0.name"]) {
      const body = withValue(sample, place.split("."), dense(2_000));
      const send = () => server.send("/projects/shop/runs/x", { method: "PUT", body });
      expect(await expectAnswer(server, send, place)).toBe(422);
    }
    const begin = () => server.send("/projects/shop/runs/x", { method: "PUT", body: { run: sample.run } });
    expect(await expectAnswer(server, begin, "head")).toBe(201);
    const lines = [...bodies, "\n", `${JSON.stringify(one)}\n{`, spoken('"\\ud83d"'), spoken(deep(50))];
    const statuses: number[] = [];
    for (const [index, raw] of lines.entries()) {
      const send = () => server.send(`/projects/shop/runs/x/parts/${index + 1}`, { method: "PUT", raw });
      statuses.push(await expectAnswer(server, send, `part ${index}`));
    }
    expect(statuses.slice(-4)).toEqual([422, 422, 201, 201]);
    expect(new Set(statuses.slice(0, -2))).toEqual(new Set([422]));
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("find nothing by names that are paths, statements or no text", async () => {
    const server = await startTestServer();
    await server.send("/projects/shop/runs/x", { method: "PUT", body: sample });
    const names = [
      "..",
      "%2e%2e",
      "..%2f..%2fetc",
      "a%00b",
      "%ff",
      "%ed%a0%80",
      "%",
      "x'%20or%20'1'='1",
      "%F0%9D%94%B5",
    ];
    const methods = [
      ["GET", ""],
      ["PUT", ""],
      ["PUT", "/parts/1"],
      ["POST", "/complete"],
    ] as const;
    const before = await countRows(server);
    for (const name of [...names, "x".repeat(8_000), "x%20", "X", "__proto__", "constructor"]) {
      for (const [method, below] of methods) {
        for (const path of [`/projects/shop/runs/${name}${below}`, `/projects/${name}/runs/x${below}`]) {
          const options = method === "PUT" ? { method, body: sample } : { method };
          const status = await expectStatus(server, () => server.send(path, options), `${method} ${path}`);
          expect([404, 422]).toContain(status);
        }
      }
      expect(await countRows(server), name).toBe(before);
    }
    for (const query of ["branch=%00", "after=1.1'--", "after=99999999999999999.1", "most=1e9", "branch=%ff"]) {
      const send = () => server.send(`/projects/shop/runs?${query}`);
      expect([200, 404, 422], query).toContain(await expectStatus(server, send, query));
    }
    expect(await countRows(server)).toBe(before);
  });
});

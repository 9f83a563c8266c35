import { describe, expect, it } from "vitest";
import { sampleUpload, type SampleRun } from "../__fixtures__/sample-upload.js";
import { startTestServer, type TestServer } from "../__fixtures__/test-server.js";

const minute = (count: number): string => new Date(Date.parse("2026-02-01T00:00:00Z") + count * 60_000).toISOString();

async function put(server: TestServer, run: SampleRun): Promise<void> {
  const upload = sampleUpload(run);
  const { status, text } = await server.send(`/projects/shop/runs/${run.run}`, { method: "PUT", body: upload });
  if (status !== 201) throw new Error(text);
}

const itemsOf = ({ json }: { json: Record<string, unknown> }) => json["items"] as Record<string, unknown>[];

describe("history", () => {
  it("lists runs in pages, each once", async () => {
    const server = await startTestServer();
    // Two each have begun at the same time.
    for (let count = 0; count < 5; count += 1)
      await put(server, { run: `r${count}`, startedAt: minute(Math.floor(count / 2)) });
    const runs: unknown[] = [];
    for (let next = "", pages = 0; next !== "null" && pages < 4; pages += 1) {
      const page = await server.send(`/projects/shop/runs?most=2${next === "" ? "" : `&after=${next}`}`);
      runs.push(...itemsOf(page).map(({ run }) => run));
      next = String(page.json["next"]);
    }
    expect(runs).toEqual(["r4", "r3", "r2", "r1", "r0"]);
    expect(await server.send("/projects/shop/runs?after=1;drop")).toMatchObject({ status: 422 });
  });

  it("shows trends with intervals, and compares runs and branches", async () => {
    const server = await startTestServer();
    const passing = [{ name: "a" }, { name: "b" }];
    await put(server, { run: "one", startedAt: minute(1), cases: passing });
    await put(server, { run: "two", startedAt: minute(2), cases: [{ name: "a" }, { name: "b", status: "failed" }] });
    await put(server, {
      run: "three",
      startedAt: minute(3),
      branch: "fix",
      cases: [{ name: "a", agent: "agent-2" }, { name: "c" }],
    });
    const suite = itemsOf(await server.send("/projects/shop/trends?suite=refunds&branch=main"));
    expect(suite).toMatchObject([
      { run: "one", rate: 1, passed: 2, counted: 2 },
      { run: "two", rate: 0.5, interval: [expect.closeTo(0.0945, 3), expect.closeTo(0.9055, 3)] },
    ]);
    const trend = itemsOf(await server.send(`/projects/shop/trends?case=${encodeURIComponent("refunds/b@gpt")}`));
    expect(trend).toMatchObject([
      { run: "one", rate: 1 },
      { run: "two", rate: 0 },
    ]);
    expect(await server.send("/projects/shop/trends")).toMatchObject({ status: 422 });
    const compared = await server.send("/projects/shop/compare?before=one&after=two");
    expect(compared.json["cases"]).toEqual([
      {
        case_id: "refunds/b@gpt",
        before: { status: "passed", passes: 2, counted: 2 },
        after: { status: "failed", passes: 0, counted: 2 },
        same_check: true,
        same_agent: true,
      },
    ]);
    const branches = await server.send("/projects/shop/compare?before=main&after=fix&by=branch");
    expect(branches.json["before"]).toMatchObject({ run: "two" });
    expect(branches.json["cases"]).toMatchObject([
      { case_id: "refunds/b@gpt", after: null },
      { case_id: "refunds/c@gpt", before: null },
    ]);
  });

  it("ranks cases that vary while agent and check stay the same", async () => {
    const server = await startTestServer();
    const statuses = ["passed", "failed", "passed", "failed"] as const;
    for (const [index, status] of statuses.entries()) {
      await put(server, {
        run: `r${index}`,
        cases: [
          { name: "varies", status },
          { name: "is-mixed", passes: index === 0 ? 1 : 2 },
          // It fails since its agent is another one.
          { name: "broke", status: index < 2 ? "passed" : "failed", agent: index < 2 ? "old" : "new" },
          { name: "is-fine" },
        ],
      });
    }
    const ranked = itemsOf(await server.send("/projects/shop/flaky?days=1"));
    expect(ranked).toMatchObject([
      { case_id: "refunds/varies@gpt", runs: 4, passed: 2, failed: 2, flakiness: 0.5 },
      { case_id: "refunds/is-mixed@gpt", mixed: 1, flakiness: 0.25 },
    ]);
    expect(ranked).toHaveLength(2);
  });
});

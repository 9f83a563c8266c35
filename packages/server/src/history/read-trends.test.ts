import { expect, it } from "vitest";
import { sampleUpload, type SampleCase } from "../__fixtures__/sample-upload.js";
import { startTestServer } from "../__fixtures__/test-server.js";
import { readFlaky, type HistoryOf } from "./read-history.js";
import { readCaseTrend, readSuiteTrend } from "./read-trends.js";

const dayMs = 86_400_000;
const startMs = Date.parse("2026-03-01T12:00:00Z");
const branches = ["main", "main", "fix", "release"] as const;
const names = ["always", "often", "rare", "varies", "mixed", "broke", "fine"] as const;
const agentOf = (index: number): string => `agent-${Math.floor(index / 9)}`;

/** What the run has: a case that is rare on one branch, some that vary, and some that only change with their agent. */
function casesOf(index: number, branch: string): readonly SampleCase[] {
  const agent = agentOf(index);
  const hasCase: Partial<Record<(typeof names)[number], boolean>> = {
    often: index % 3 !== 0,
    rare: branch === "main" ? index < 5 : index % 7 === 3,
  };
  const failing: Partial<Record<(typeof names)[number], boolean>> = {
    varies: (index * 7) % 5 < 2,
    often: index % 11 === 4,
    broke: agent === "agent-1",
  };
  return names
    .filter((name) => hasCase[name] ?? true)
    .map((name) => ({
      name,
      agent,
      status: failing[name] === true ? "failed" : "passed",
      ...(name === "mixed" && index % 6 === 0 ? { passes: 1 } : {}),
    }));
}

const runs = Array.from({ length: 26 }, (_, index) => {
  const branch = branches[index % branches.length] ?? "main";
  // Uploads come in another order than runs begin.
  const startedMs = startMs + ((index * 11) % 26) * 3_600_000;
  return { index, run: `r${index}`, branch, startedMs, cases: casesOf(index, branch) };
});
const dayOfUpload = (index: number): number => Math.floor(index / 10);

async function uploadAll(): Promise<{ history: HistoryOf; nowMs: number }> {
  const server = await startTestServer();
  for (const { index, run, branch, startedMs, cases } of runs) {
    server.clock.now = startMs + dayOfUpload(index) * dayMs;
    const body = sampleUpload({ run, branch, cases, startedAt: new Date(startedMs).toISOString() });
    const { status } = await server.send(`/projects/shop/runs/${run}`, { method: "PUT", body });
    expect(status).toBe(201);
  }
  const { opened, orgId, projectId, clock } = server;
  return { history: { database: opened.database, orgId, projectId }, nowMs: clock.now };
}

/** The same by a plain look at all that was uploaded. */
const trendOf = (name: string | null, branch: string | null, most: number): readonly string[] =>
  runs
    .filter((run) => branch === null || run.branch === branch)
    .filter(({ cases }) => name === null || cases.some((one) => one.name === name))
    .toSorted((one, other) => other.startedMs - one.startedMs)
    .slice(0, most)
    .map(({ run }) => run)
    .toReversed();

function flakyOf(days: number): Record<string, number> {
  const groups = new Map<string, { name: string; passed: number; failed: number; mixed: number }>();
  for (const { index, cases } of runs.filter((run) => dayOfUpload(run.index) >= dayOfUpload(25) - days)) {
    for (const { name, status, passes } of cases) {
      const key = `${name} ${agentOf(index)}`;
      const group = groups.get(key) ?? { name, passed: 0, failed: 0, mixed: 0 };
      group[status === "failed" ? "failed" : "passed"] += 1;
      group.mixed += passes === undefined ? 0 : 1;
      groups.set(key, group);
    }
  }
  const shares = names.map((name) => {
    const own = [...groups.values()].filter((group) => group.name === name);
    const sum = (count: (group: (typeof own)[number]) => number): number =>
      own.reduce((total, one) => total + count(one), 0);
    const varied = sum(({ passed, failed, mixed }) => Math.max(mixed, Math.min(passed, failed)));
    return [`refunds/${name}@gpt`, varied / sum(({ passed, failed }) => passed + failed)] as const;
  });
  return Object.fromEntries(shares.filter(([, share]) => share > 0));
}

it("finds what a look at all runs finds, however rare a case is on a branch", async () => {
  const { history, nowMs } = await uploadAll();
  for (const branch of [null, "main", "fix", "release", "none"]) {
    for (const most of [1, 2, 200]) {
      for (const name of [...names, "unknown"]) {
        const points = await readCaseTrend(history, `refunds/${name}@gpt`, branch, most);
        expect([branch, most, name, points.map(({ run }) => run)]).toEqual([
          branch,
          most,
          name,
          trendOf(name, branch, most),
        ]);
      }
      const points = await readSuiteTrend(history, "refunds", branch, most);
      expect(points.map(({ run }) => run)).toEqual(trendOf(null, branch, most));
      expect(await readSuiteTrend(history, "unknown", branch, most)).toEqual([]);
    }
  }
  for (const days of [0, 1, 2]) {
    const ranked = await readFlaky(history, { days, nowMs, most: 10 });
    expect(Object.fromEntries(ranked.map(({ case_id, flakiness }) => [case_id, flakiness]))).toEqual(flakyOf(days));
  }
  expect(Object.keys(flakyOf(2)).length).toBe(3);
  const [before, newest = ""] = trendOf("varies", null, 2);
  const { database, orgId } = history;
  const skipped = database.selectFrom("runs").select("id").where("run", "=", newest).where("org_id", "=", orgId);
  await database.updateTable("case_results").set({ status: "skipped" }).where("run_id", "in", skipped).execute();
  expect(await readCaseTrend(history, "refunds/varies@gpt", null, 1)).toMatchObject([{ run: before }]);
});

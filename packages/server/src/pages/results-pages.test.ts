import { describe, expect, it } from "vitest";
import { sampleUpload, type SampleRun } from "../__fixtures__/sample-upload.js";
import { startTestServer, type TestServer } from "../__fixtures__/test-server.js";
import { signedIn } from "../__fixtures__/visitor.js";
import { createId } from "../auth/secrets.js";

const minute = (count: number): string => new Date(Date.parse("2026-02-01T00:00:00Z") + count * 60_000).toISOString();

async function put(server: TestServer, upload: ReturnType<typeof sampleUpload>, project = "shop"): Promise<void> {
  const path = `/projects/${project}/runs/${upload.run.run}`;
  const { status, text } = await server.send(path, { method: "PUT", body: upload });
  if (status !== 201) throw new Error(text);
}

const putRun = (server: TestServer, run: SampleRun): Promise<void> => put(server, sampleUpload(run));

/** The text of a page, without its markup. */
const textOf = (html: string): string =>
  html
    .replace(/^[^]*<h1>/, "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ");

describe("the page of a run", () => {
  it("has its figures, and says of a shard what became of it", async () => {
    const server = await startTestServer();
    const upload = sampleUpload({ run: "one", cases: [{ name: "a" }, { name: "b", status: "failed" }] });
    const gate = { name: "pass_rate", pass: false, limit: 0.9, actual: 0.5 };
    upload.run.gates = [gate];
    upload.run.rules = { gates: { passRate: 0.9 } };
    await put(server, upload);
    const planHash = { cases: "c", contents: "d", rules: "r", durations: null };
    const part = sampleUpload({ run: "part" });
    part.run.shard = { index: 2, of: 4, suites: [{ name: "refunds", cases: 1 }], planHash };
    await put(server, part);
    const person = await signedIn(server, "viewer");
    const run = textOf((await person.get("/p/shop/runs/one")).html);
    expect(run).toContain("Run one");
    expect(run).toContain("Pass rate, 95% interval 50% Cost $0.0123");
    expect(run).not.toContain("Compare with the run before");
    expect(run).toContain("pass_rate: 50%, expected at least 90%");
    expect(run).toContain("refunds/b@gpt");
    const shard = textOf((await person.get("/p/shop/runs/part")).html);
    expect(shard).toContain("Shard 2 of 4: the other cases are in other runs. 1 of 4 uploaded.");
    expect(await person.get("/p/shop/runs/other")).toMatchObject({ status: 404 });
  });

  it("is found by the ID of the run, in any project of the organization and no other", async () => {
    const server = await startTestServer();
    const other = await startTestServer();
    await putRun(server, { run: "shared" });
    await putRun(other, { run: "theirs" });
    const person = await signedIn(server, "viewer");
    expect(await person.get("/r/shared")).toMatchObject({ status: 303, to: "/p/shop/runs/shared" });
    expect(await person.get("/r/theirs")).toMatchObject({ status: 404 });
    const days = { transcript_days: 14, case_days: 30, run_days: 400, badge_key: null, created_ms: 0 };
    const second = { id: createId("prj"), org_id: server.orgId, name: "second", accepts: "", ...days };
    await server.opened.database.insertInto("projects").values(second).execute();
    await put(server, sampleUpload({ run: "shared" }), "second");
    const { html, status } = await person.get("/r/shared");
    expect(status).toBe(200);
    expect(html).toContain('href="/p/second/runs/shared"');
    expect(html).toContain('href="/p/shop/runs/shared"');
  });

  it("gives transcripts to those who may read them, case by case, whatever was uploaded as one", async () => {
    const server = await startTestServer({ accepts: "messages transcripts" });
    const upload = sampleUpload({ run: "spoken", cases: [{ name: "a", status: "failed" }, { name: "odd" }] });
    const [a, odd] = upload.cases;
    if (a?.status !== "failed" || odd?.status !== "passed") throw new Error("other cases");
    const usage = { inputTokens: 1, outputTokens: 1 };
    const spent = { knownCostUsd: 0, unpricedRequests: 0, usage, requests: 1, retries: 0, fallbacks: 0, replayed: 0 };
    const none = {
      providers: [],
      attemptFailures: {},
      simulatedUser: null,
      judges: null,
      toolErrors: [],
      judgeScores: [],
    };
    const times = { durationMs: 5, waitedMs: 4, costUsd: 0, latencyMs: 4, firstTokenMs: null, turns: 1, toolCalls: 0 };
    const trial = { ...spent, ...none, ...times, trial: 1, nudges: 0, awaitsBaseline: false, failure: null };
    const assertions = [{ type: "contains", pass: false, score: 0 }];
    a.trials = [{ ...trial, status: "failed", error: null, toolFallbacks: 0, assertions }];
    odd.trials = [{ ...trial, status: "passed", error: null, toolFallbacks: 0, assertions: [] }];
    const said = [{ role: "user", content: "canary" }];
    const turn = { turn: 1, latencyMs: 4, timeToFirstTokenMs: null, costUsd: 0, servedBy: "gpt", fallback: null };
    const common = { output: "", latencyMs: 4, durationMs: 5, costUsd: 0, usage, attempts: 1, servedBy: null };
    const failing = {
      type: "contains",
      pass: false,
      score: 0,
      message: "no canary",
      durationMs: 1,
      expected: "x",
      actual: "y",
    };
    const reported = { ...common, trial: 1, status: "failed", error: null, fallback: null, finishReason: null };
    const attempts = { attempts: 1, failedAttempts: [] };
    a.transcripts = [
      { ...reported, turns: [{ ...turn, ...attempts }], toolCalls: [], assertions: [failing], messages: said },
    ];
    odd.transcripts = [{ trial: 1, messages: 5, toolCalls: "no list", turns: [{ attempts: {} }] }];
    upload.run.include = ["messages", "transcripts"];
    await put(server, upload);
    const report = async (role: "viewer" | "member") => {
      const person = await signedIn(server, role);
      const { html } = await person.get("/p/shop/runs/spoken/report");
      const index = JSON.parse(html) as { keys: number[]; cases: { id: string }[]; kinds: object[]; head: object };
      const cases = [];
      for (const key of index.keys) cases.push((await person.get(`/p/shop/runs/spoken/report/${key}`)).html);
      return { index, text: cases.join("\n"), cases: cases.map((one) => JSON.parse(one) as { trials: object[] }) };
    };
    const member = await report("member");
    expect(member.index.kinds).toMatchObject([{ title: expect.stringContaining("does not contain") as string }]);
    expect(member.cases[0]?.trials).toMatchObject([{ rows: [{ by: "user", text: "canary" }] }]);
    expect(member.cases[1]?.trials).toMatchObject([{ status: "passed", rows: null }]);
    const viewer = await report("viewer");
    expect(viewer.text + JSON.stringify(viewer.index)).not.toContain("canary");
    expect(viewer.index.kinds).toMatchObject([{ title: "Assertion contains failed" }]);
    expect(viewer.cases[0]?.trials).toMatchObject([{ rows: null, assertions: [{ type: "contains", pass: false }] }]);
    const person = await signedIn(server, "member");
    for (const key of ["0", "999999999", "x", "1e3"])
      expect(await person.get(`/p/shop/runs/spoken/report/${key}`), key).toMatchObject({ status: 404 });
  });
});

describe("history", () => {
  it("is shown as trends, a ranking, and a comparison, with names as text", async () => {
    const server = await startTestServer();
    const hostile = "<script>alert(1)</script> \u202Ejavascript:alert(2)";
    const agent = (count: number): string => (count < 2 ? "one" : "two");
    for (let count = 0; count < 4; count += 1) {
      await putRun(server, {
        run: `r${count}`,
        startedAt: minute(count),
        branch: count === 3 ? `fix/${hostile}` : "main",
        cases: [
          { name: "varies", status: count % 2 === 0 ? "passed" : "failed", agent: agent(count) },
          { name: hostile, passes: 1, agent: agent(count) },
          ...(count === 3 ? [{ name: "added" }] : [{ name: "removed" }]),
        ],
      });
    }
    const person = await signedIn(server, "viewer");
    const show = async (path: string): Promise<string> => {
      const { html, status } = await person.get(path);
      expect(status, path).toBe(200);
      expect(html).not.toContain("<script>alert");
      expect(html).not.toMatch(/(?:href|src)="javascript/);
      return html;
    };
    expect(await show("/p/shop/trends")).toContain('href="/p/shop/trends?suite=refunds"');
    const suite = await show("/p/shop/trends?suite=refunds&branch=main");
    expect(suite.match(/class="point"/g)).toHaveLength(9);
    expect(textOf(suite)).toContain("3 runs, from 100% to 100%, between 66.7% and 100%. The table has all values.");
    const trend = await show(`/p/shop/trends?case=${encodeURIComponent("refunds/varies@gpt")}`);
    expect(textOf(trend)).toMatch(/2\/2 100% 34.2% to 100% \$0\.0010 813 ms agent/);
    expect(trend).toContain('class="changed"');
    const flaky = textOf(await show("/p/shop/flaky?days=7"));
    expect(flaky).toContain("the outcome changed in 2 of 4 runs, while agent and check did not");
    expect(flaky).toContain("trials of one run differ in 4 of 4 runs");
    const runs = textOf(await show("/p/shop/compare?before=r0&after=r3"));
    expect(runs).toContain("The agent changed in 2 of the 2 cases that both runs have; the check is the same in all.");
    expect(runs).toMatch(
      /▼ 1 newly failing .* refunds\/varies@gpt .* \+ 1 new .* refunds\/added@gpt .* – 1 gone .* refunds\/removed@gpt/,
    );
    const branch = encodeURIComponent(`fix/${hostile}`);
    const branches = textOf(await show(`/p/shop/compare?by=branch&before=main&after=${branch}`));
    expect(branches).toContain("Agent and check are the same in all 2 cases");
    expect(textOf(await show("/p/shop/compare?before=r0&after=nothing"))).toContain("Run not found");
  });
});

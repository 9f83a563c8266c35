import { describe, expect, it } from "vitest";
import { GithubApi } from "../action/github-api.js";
import {
  emptyGithub,
  environmentOf,
  github,
  green,
  greenText,
  headSha,
  publish,
  red,
  redText,
  runStep,
  startGithub,
  type Published,
} from "./support/action-steps.js";
import { FakeGithub, token, type Refusal } from "./support/fake-github.js";

await startGithub();

describe("the comment", () => {
  it("is one, edited in place by each push, wherever it is in the conversation, and one line when all is well", async () => {
    emptyGithub();
    for (let index = 0; index < 150; index += 1) github.addComment(`Comment ${index}`);
    const first = await runStep("publish.js", environmentOf({}));
    expect(first).toMatchObject({ code: 0, summary: "" });
    const [own] = github.comments.slice(-1);
    expect(first.outputs["comment-url"]).toBe(own?.html_url);
    const links = "[report](https://github.test/artifacts/7) · [log](https://github.test/octo/agent/actions/runs/42)";
    expect(own?.body).toMatch(/^<!-- kindlm-comment:[0-9a-f]{16} -->\n/);
    expect(own?.body.split("\n").slice(1).join("\n")).toBe(`${redText.trim()}\n\n${links}`);
    github.addComment(`> ${own?.body ?? ""}`);
    const second = await publish({ text: greenText, report: green });
    expect(second.outputs["comment-url"]).toBe(own?.html_url);
    expect(github.comments).toHaveLength(152);
    expect(own?.body.split("\n").slice(1)).toEqual([`✓ KindLM: 3 passed · ${links}`]);
    expect(github.requests.filter((name) => !name.startsWith("GET"))).toEqual([
      "POST /issues/2/comments",
      `PATCH /issues/comments/${own?.id ?? ""}`,
    ]);
  });

  it("belongs to one project and config", async () => {
    emptyGithub();
    await publish();
    await publish({ inputs: { config: "other.yaml" } });
    await publish({ inputs: { working_directory: "agents" } });
    await publish({ inputs: { config: "other.yaml" } });
    expect(github.comments).toHaveLength(3);
  });

  const improved = { status: "compared", verdict: "ok", worse: [], better: [{}] };
  const worse = { status: "compared", verdict: "inconclusive", worse: [{}], better: [] };
  it.each([
    { comment: "changes", report: green, isWritten: false },
    { comment: "changes", report: red, isWritten: true },
    { comment: "changes", report: { ...green, comparison: { suites: [improved] } }, isWritten: true },
    { comment: "changes", report: { ...green, comparison: { suites: [worse] } }, isWritten: true },
    { comment: "changes", report: { ...green, comparison: { suites: [{ status: "none" }] } }, isWritten: false },
    { comment: "always", report: green, isWritten: true },
    { comment: "never", report: red, isWritten: false },
    { comment: "sometimes", report: red, isWritten: true },
  ])("with $comment is written: $isWritten", async ({ comment, report, isWritten }) => {
    emptyGithub();
    const { code } = await publish({ inputs: { comment }, report });
    expect({ code, comments: github.comments.length }).toEqual({ code: 0, comments: isWritten ? 1 : 0 });
  });

  it("says that there is no report, and stays below 8 kB with the longest report and links", async () => {
    emptyGithub();
    await publish({ text: null });
    expect(github.comments[0]?.body).toContain("### ! KindLM could not run · `ec26c3e`\n\nNo report was written.");
    await publish({ text: `### ${"漢".repeat(2_395)}\n` });
    expect(github.comments[0]?.body).toContain("漢".repeat(2_395));
    expect(Buffer.byteLength(github.comments[0]?.body ?? "")).toBeLessThanOrEqual(8_000);
  });

  it("is found by the commit of a push, and by the pull request that somebody commented on", async () => {
    emptyGithub();
    await publish({ event: "push" });
    await publish({ event: "issue_comment" });
    expect(github.comments).toHaveLength(1);
  });

  it("is not that of an older commit, and not that of a shard", async () => {
    emptyGithub();
    github.headSha = "0000000000000000000000000000000000000002";
    expect((await publish()).stdout).toContain("Pull request 2 is at 0000000 by now");
    const shard = { ...red, run: { shard: { index: 1, of: 4 } } };
    expect((await publish({ report: shard })).stdout).toContain("Shard 1 of 4");
    expect(github.comments).toEqual([]);
  });

  it("is written again if it is gone, and is one again if two jobs wrote it at the same time", async () => {
    emptyGithub();
    await publish();
    const body = github.comments[0]?.body ?? "";
    const twin = github.addComment(body);
    await publish({ text: greenText, report: green });
    expect(github.comments.map(({ id }) => id)).not.toContain(twin.id);
    github.refuse = (name) => (name.startsWith("PATCH") ? { status: 404 } : null);
    await publish({ text: redText });
    expect(github.comments).toHaveLength(2);
  });
});

describe("what keeps the comment away", () => {
  const fork = "The pull request is from a fork, so the token can only read";
  const lacks = "The token lacks a permission. Add permissions: { pull-requests: write } to the job (refused)";
  const forbidden = { status: 403 };
  it.each<[string, Published, Refusal | null, string]>([
    ["a fork", { event: "pull_request-fork" }, forbidden, fork],
    ["a token that may only read", {}, forbidden, lacks],
    ["no token", { inputs: { token: "" } }, null, "There is no token"],
    ["a wrong token", { inputs: { token: "x" } }, null, "GitHub does not accept the token: Bad credentials"],
    ["a long wait", {}, { status: 429, headers: { "retry-after": "3600" } }, "GitHub limits requests: refused"],
    [
      "a used-up limit",
      {},
      { status: 403, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "99999999999" } },
      "GitHub limits requests: refused",
    ],
  ])("changes nothing about the job: %s", async (_, given, refusal, reason) => {
    emptyGithub().refuse = (name) => (name.startsWith("POST") ? refusal : null);
    const { code, stdout, summary, outputs } = await publish(given);
    expect({ code, outputs, comments: github.comments }).toEqual({ code: 0, outputs: {}, comments: [] });
    expect(stdout).toBe(`::notice title=KindLM::${reason}. The report is in the summary of the job.\n`);
    expect(summary).toBe(`\n> Not on the pull request: ${reason}.\n`);
  });

  it.each([
    { status: 429, headers: { "retry-after": "0" } },
    { status: 403, headers: { "retry-after": "0" } },
  ])("is waited for if that is short: $status", async (refusal) => {
    let left = 2;
    emptyGithub().refuse = (name) => {
      if (!name.startsWith("POST") || left === 0) return null;
      left -= 1;
      return refusal;
    };
    expect(await publish()).toMatchObject({ code: 0, summary: "" });
    expect(github.comments).toHaveLength(1);
  });

  it("is tried again a few times, and no more", async () => {
    emptyGithub().refuse = () => ({ status: 502 });
    const waits: number[] = [];
    const sleep = async (ms: number): Promise<void> => void waits.push(ms);
    const api = new GithubApi({ url: github.url, token, sleep });
    await expect(api.request("GET", "/x", undefined)).rejects.toMatchObject({ status: 502, message: "refused" });
    const nowhere = new GithubApi({ url: "http://127.0.0.1:1", token, sleep });
    await expect(nowhere.request("GET", "/x", undefined)).rejects.toMatchObject({ status: null });
    expect(waits).toEqual([1_000, 2_000, 1_000, 2_000]);
  });

  it.each<[string, Refusal]>([
    ["status 429", { status: 429 }],
    ["its message", { status: 403, message: "You have exceeded a secondary rate limit" }],
  ])("is waited for once for a minute, if a limit without headers is known by %s", async (_, refusal) => {
    let left = 1;
    emptyGithub().refuse = (name) => (name.startsWith("POST") && left-- > 0 ? refusal : null);
    const waits: number[] = [];
    const sleep = async (ms: number): Promise<void> => void waits.push(ms);
    const comment = (): Promise<unknown> =>
      new GithubApi({ url: github.url, token, sleep }).request("POST", "/repos/octo/agent/issues/2/comments", {
        body: "hello",
      });
    expect(await comment()).toMatchObject({ body: "hello" });
    expect({ waits, requests: github.requests.length }).toEqual({ waits: [60_000], requests: 2 });
    // A second minute is more than all waiting may take.
    left = 9;
    await expect(comment()).rejects.toMatchObject({ status: refusal.status, isRateLimit: true });
    expect({ waits, requests: github.requests.length }).toEqual({ waits: [60_000, 60_000], requests: 4 });
  });

  it("does not end the step with an error, even if nothing is as it should be", async () => {
    const env = { ...environmentOf({ text: null }), GITHUB_API_URL: "nonsense", KINDLM_REPORT: "/nowhere" };
    const { code, stdout } = await runStep("publish.js", { ...env, GITHUB_EVENT_PATH: "/nowhere" });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^::(notice|warning) title=KindLM::/);
  });

  it("sends the token to no other server", async () => {
    emptyGithub().addComment("one");
    const elsewhere = await new FakeGithub().start();
    github.refuse = () => ({ status: 200, headers: { link: `<${elsewhere.url}/evil>; rel="next"` } });
    const api = new GithubApi({ url: github.url, token });
    await expect(api.list("/x").next()).rejects.toThrow();
    expect(elsewhere.requests).toEqual([]);
  });
});

it("creates a check run with the result", async () => {
  emptyGithub();
  await publish({ inputs: { check: "true", comment: "never", config: "evals/agent.yaml" } });
  expect(github.checks).toMatchObject([
    {
      name: "KindLM (evals/agent.yaml)",
      head_sha: headSha,
      status: "completed",
      conclusion: "failure",
      output: { title: "1 passed, 2 failed, 0 errored, 0 skipped" },
    },
  ]);
  github.refuse = (name) => (name === "POST /check-runs" ? { status: 403 } : null);
  const both = await publish({ inputs: { check: "true" } });
  expect(both.stdout).toContain("Add permissions: { checks: write } to the job");
  expect(github.comments).toHaveLength(1);
});

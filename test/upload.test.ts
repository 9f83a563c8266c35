import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { createSystemClock, type Clock } from "../packages/core/src/values/clock.js";
import { createAcceleratedClock } from "../packages/core/src/values/fast-clocks.js";
import { refusedUrl } from "../packages/core/src/__fixtures__/start-server.js";
import { selfSigned } from "./support/matrix/self-signed.js";
import { createLeapingClock } from "./support/leaping-clock.js";
import { serverToken, startResultsServer, type Answer } from "./support/results-server.js";
import { runCli, stable, type CliOutcome, type InProcessOptions } from "./support/run-cli.js";

const config = (check = "hello"): string => `version: 1
project: shop
models: [{ id: m, provider: scripted, script: { otherwise: { text: hello } } }]
suites: [{ name: s, tests: [{ name: a, input: hi, assert: [{ type: contains, value: ${check} }] }] }]
`;

const kept = "The exit code is that of the tests. Kept for later: kindlm upload --pending\n";
const notKept = "The exit code is that of the tests. It is not kept\n";
const outbox = (cwd: string): string[] =>
  readdirSync(join(cwd, ".kindlm"), { recursive: true, encoding: "utf8" }).filter((name) =>
    /^outbox.+\.json$/.test(name),
  );
const envOf = (url: string): Record<string, string> => ({ KINDLM_SERVER: url, KINDLM_TOKEN: serverToken });
const said = (error: string, message: string, details: object = {}): object => ({ error, message, details });

const shared = startResultsServer();
const finished = (async () => {
  const cwd = makeProject({ "kindlm.yaml": config() });
  await runCli(["test"], { cwd });
  return cwd;
})();

async function uploadAgainst(answer: Answer): Promise<CliOutcome & { requests: number; waitedMs: number }> {
  const [server, cwd] = await Promise.all([shared, finished]);
  server.requests = [];
  server.answer = () => answer;
  const leaping = createLeapingClock();
  // What was asked for: what went by grows with all that a busy machine does meanwhile.
  let waitedMs = 0;
  const clock: Clock = {
    ...leaping,
    sleep(ms, signal) {
      waitedMs += ms;
      return leaping.sleep(ms, signal);
    },
  };
  // A proxy would read the token, so nothing for this machine goes through one.
  const env = { ...envOf(server.url), HTTP_PROXY: "http://127.0.0.1:9" };
  const outcome = await runCli(["upload"], { cwd, env, clock });
  server.answer = () => null;
  return { ...outcome, requests: server.requests.length, waitedMs };
}

const plan = { required_plan: "team", current_plan: "free", feature: "pdf_export" };
const upgrade = { ...plan, upgrade_url: "https://cloud.kindlm.com/settings/billing" };
const needsPlan = "This feature requires a Team or Enterprise plan. Current plan: free";

describe("each status of the results server", () => {
  it.each([
    [401, said("CLOUD_AUTH_ERROR", "The token expired"), "The token expired", "Set KINDLM_TOKEN to a valid token", 1],
    [403, said("plan_required", needsPlan, upgrade), needsPlan, `See: ${upgrade.upgrade_url}`, 1],
    [403, said("CLOUD_PLAN_LIMIT", needsPlan, upgrade), needsPlan, `See: ${upgrade.upgrade_url}`, 1],
    [
      403,
      said("forbidden", "The token cannot write", { required_scope: "runs:write" }),
      "The token cannot write",
      "Use a token with the scope runs:write",
      1,
    ],
    [
      404,
      said("not_found", 'Project "shop" not found'),
      'Project "shop" not found',
      "Check upload.project in the config, and that your account has access to it",
      1,
    ],
    [
      409,
      said("conflict", "The run is there with other content"),
      "The run is there with other content",
      "The server keeps the content that it received first. Start a new run to replace it",
      1,
    ],
    [413, said("payload_too_large", "More than 5 MB"), "More than 5 MB", "Upload without --transcripts", 1],
    [
      422,
      said("validation_error", "The body is not valid", {
        issues: [{ path: ["run", "seed"], message: "not a number" }],
      }),
      "The body is not valid",
      "run.seed: not a number",
      1,
    ],
    [
      429,
      said("CLOUD_RATE_LIMIT", "Rate limit exceeded. Retry after 2 seconds"),
      "Rate limit exceeded. Retry after 2 seconds.",
      "Try again later",
      3,
    ],
    [
      500,
      said("UNKNOWN_ERROR", "Something went wrong"),
      "Something went wrong",
      "The server has a problem. Try again later: kindlm upload",
      3,
    ],
    [
      503,
      said("unavailable", "The server is stopping"),
      "The server is stopping",
      "The server has a problem. Try again later: kindlm upload",
      3,
    ],
  ])("%i %j", async (status, body, title, fix, requests) => {
    const headers: Record<string, string> = status === 429 ? { "retry-after": "2" } : {};
    const outcome = await uploadAgainst({ status, body, headers });
    expect(outcome).toMatchObject({ code: 1, stdout: "", stderr: `✗ ${title}\n  ${fix}\n`, requests });
    // After 1 s and 2 s, or twice after what the server asks for.
    expect(outcome.waitedMs).toBe(requests === 1 ? 0 : status === 429 ? 4_000 : 3_000);
  });

  it("that is not of its API says what was expected", async () => {
    const { url } = await shared;
    const check = "  Check that the address is that of a KindLM results server\n";
    const notJson = await uploadAgainst({ status: 200, body: "<html>" });
    expect(notJson.stderr).toBe(`✗ ${url} answered 200 with a body that is not a JSON object\n${check}`);
    for (const body of ["", {}, { state: "uploading" }]) {
      const other = await uploadAgainst({ status: 200, body });
      expect(other.stderr).toBe(`✗ ${url} answered 200 with a body that does not confirm the upload\n${check}`);
    }
    expect((await uploadAgainst({ status: 404, body: "no such page" })).stderr).toBe(`✗ ${url} answered 404\n${check}`);
    const hostile = await uploadAgainst({
      status: 400,
      body: said("x", `\u001b[31m${serverToken}\n${"y".repeat(999)}`),
    });
    expect(hostile.stderr).not.toContain("\u001b");
    expect(hostile.stderr).not.toContain(serverToken);
    expect(hostile.stderr.length).toBeLessThan(500);
  });

  it("over TLS that nobody vouches for says how to trust it, and is not tried again", async () => {
    const server = createTlsServer(selfSigned, () => undefined);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { code, stderr } = await runCli(["upload", "--verbose"], { cwd: await finished, env: envOf(url) });
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`✗ Failed to connect to ${url}: self-signed certificate\n`),
    ]);
    expect(stderr).toContain("  Set NODE_EXTRA_CA_CERTS to a file that contains the certificate of its issuer\n");
    expect(stderr).toContain("attempts: 1\n");
  });

  it("shows the code and the reply with --verbose", async () => {
    const [server, cwd] = await Promise.all([shared, finished]);
    server.answer = () => ({ status: 422, body: said("validation_error", "not valid", { issues: [] }) });
    const { stderr } = await runCli(["upload", "--verbose"], { cwd, env: envOf(server.url) });
    server.answer = () => null;
    expect(stderr).toContain("CLOUD_UPLOAD_ERROR (601, service): not valid");
    expect(stderr).toContain("HTTP status: 422");
    expect(stderr).toContain('{"error":"validation_error"');
  });

  it("is shown with pages of the server itself, and no others", async () => {
    const [{ url }, cwd] = await Promise.all([shared, finished]);
    const page = (named: string): Promise<CliOutcome> =>
      uploadAgainst({ status: 201, body: { state: "complete", url: named } });
    expect((await page(`${url}/r/7`)).stderr).toBe(`Uploaded: ${url}/r/7\n`);
    for (const other of ["https://example.com/r/7", `${url}.example.com/r/7`, "javascript:alert(1)"]) {
      expect((await page(other)).stderr).toMatch(new RegExp(`^Uploaded: ${url}/r/\\d{8}-\\S+\n$`));
    }
    expect(outbox(cwd)).toEqual([]);
  });

  it("that redirects sends the token nowhere else", async () => {
    const other = await startResultsServer();
    const outcome = await uploadAgainst({ status: 307, headers: { location: `${other.url}/api/v1/steal` } });
    expect(outcome).toMatchObject({ code: 1, requests: 1 });
    expect(outcome.stderr).toContain(`redirects to ${other.url}`);
    expect(other.requests).toEqual([]);
  });
});

const tryLater = "Try again later";
const wrongPlace = "Check that the address is that of a KindLM results server";

/** A server that cannot be used, and what is said about it. */
const broken: readonly (readonly [string, Answer | "refuse", title: string, fix: string])[] = [
  [
    "refuses connections",
    "refuse",
    "Failed to connect to <url>: connect ECONNREFUSED <host>",
    "Check the address, that the server is running, and proxy settings",
  ],
  ["hangs", "hang", "<url> did not answer within 30 s", "Check that the server is running, and the connection to it"],
  [
    "stops in the middle of its answer",
    "half",
    "<url> did not answer within 30 s",
    "Check that the server is running, and the connection to it",
  ],
  [
    "resets connections",
    "reset",
    "Failed to connect to <url>: other side closed",
    "Check the address, that the server is running, and proxy settings",
  ],
  [
    "fails",
    { status: 500, body: said("UNKNOWN_ERROR", "Something went wrong") },
    "Something went wrong",
    "The server has a problem. Try again later: kindlm upload",
  ],
  [
    "wants a wait of an hour",
    { status: 429, body: said("CLOUD_RATE_LIMIT", "Slow down"), headers: { "retry-after": "3600" } },
    "Slow down. Retry after 3600 seconds.",
    tryLater,
  ],
  [
    "wants a wait of unknown length",
    { status: 429, body: said("CLOUD_RATE_LIMIT", "Slow down") },
    "Slow down.",
    tryLater,
  ],
  [
    "knows no such token",
    { status: 401, body: said("CLOUD_AUTH_ERROR", "The token expired") },
    "The token expired",
    "Set KINDLM_TOKEN to a valid token",
  ],
  [
    "is a page",
    { status: 200, body: "<html>", headers: { "content-type": "text/html" } },
    "<url> answered 200 with a body that is not a JSON object",
    wrongPlace,
  ],
  [
    "redirects",
    { status: 302, headers: { location: "https://example.com/" } },
    "<url> redirects to https://example.com/",
    "KindLM follows no redirects. Set the address of the server itself",
  ],
  ["is another program", { status: 404, body: "nothing" }, "<url> answered 404", wrongPlace],
];

/** What tests that pass and tests that fail say if nobody uploads them. */
const withoutUpload = ["hello", "goodbye"].map(async (check) => {
  const cwd = makeProject({ "kindlm.yaml": config(check) });
  const ran = await runCli(["test"], { cwd });
  return { check, code: ran.code, stdout: stable(ran.stdout, cwd), stderr: ran.stderr };
});

describe("kindlm test --upload", () => {
  it.each(broken)("has the exit code of the tests if the server %s, and the run is delivered later", async (...row) => {
    const [, way, title, fix] = row;
    const server = await startResultsServer();
    const url = way === "refuse" ? await refusedUrl() : server.url;
    if (way !== "refuse") server.answer = () => way;
    for (const plain of await Promise.all(withoutUpload)) {
      const cwd = makeProject({ "kindlm.yaml": config(plain.check) });
      const clock = createLeapingClock();
      const before = clock.monotonic();
      const ran = await runCli(["test", "--upload"], { cwd, env: envOf(url), clock });
      expect(clock.monotonic() - before).toBeLessThan(31_000);
      expect([ran.code, stable(ran.stdout, cwd)]).toEqual([plain.code, plain.stdout]);
      const words = title.replace("<url>", url).replace("<host>", new URL(url).host);
      expect(ran.stderr).toBe(`${plain.stderr}✗ ${words}\n  ${fix}\n${kept}`);
      expect(outbox(cwd)).toHaveLength(1);
      server.requests = [];
      server.answer = () => null;
      const later = await runCli(["upload", "--pending"], { cwd, env: envOf(server.url) });
      expect(later).toMatchObject({ code: 0, stderr: expect.stringContaining("Uploaded an earlier run: ") as string });
      // Nothing is left to be sent again.
      expect(outbox(cwd)).toEqual([]);
      expect(server.requests.map(({ method }) => method)).toEqual(["PUT"]);
      if (way !== "refuse") server.answer = () => way;
    }
  });

  it("keeps its time against servers that drip a byte at a time, of the head or of the body", async () => {
    const run = async (way: "drip-head" | "drip-body"): Promise<void> => {
      const server = await startResultsServer();
      server.answer = () => way;
      const cwd = makeProject({ "kindlm.yaml": config("goodbye") });
      // The server drips in real time, some forty bytes.
      const clock = createAcceleratedClock(createSystemClock(), 40);
      const before = clock.monotonic();
      const ran = await runCli(["test", "--upload"], { cwd, env: envOf(server.url), clock });
      const [title, fix] = [`${server.url} did not answer within 30 s`, "Check that the server is running"];
      expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining(`✗ ${title}\n  ${fix}`)]);
      expect(ran.stderr.endsWith(kept)).toBe(true);
      const tookMs = clock.monotonic() - before;
      expect(tookMs).toBeGreaterThan(30_000);
      expect(server.requests).toHaveLength(1);
    };
    await Promise.all([run("drip-head"), run("drip-body")]);
  });

  it("has the exit code of the tests with each error, and all runs are delivered once, by two commands at once", async () => {
    const server = await startResultsServer();
    const cwd = makeProject({ "kindlm.yaml": config("goodbye") });
    const options = { cwd, env: envOf(server.url) };
    const errors: readonly (readonly [status: number, error: string])[] = [
      [401, "CLOUD_AUTH_ERROR"],
      [403, "plan_required"],
      [403, "forbidden"],
      [404, "not_found"],
      [409, "conflict"],
      [413, "payload_too_large"],
      [422, "validation_error"],
      [429, "CLOUD_RATE_LIMIT"],
      [500, "UNKNOWN_ERROR"],
      [503, "unavailable"],
    ];
    const plain = await runCli(["test"], { cwd });
    for (const [status, error] of errors) {
      server.answer = () => ({ status, body: said(error, "No") });
      const clock = createLeapingClock();
      const before = clock.monotonic();
      // The runs wait in the order in which they failed.
      const ran = await runCli(["test", "--upload"], { ...options, clock });
      expect(clock.monotonic() - before).toBeLessThan(31_000);
      // The server has this run with other content, and will never take it.
      const end = status === 409 ? notKept : kept;
      expect([ran.code, ran.stderr.endsWith(end)], error).toEqual([plain.code, true]);
    }
    server.answer = () => null;
    const waiting = outbox(cwd).map((name) => basename(name, ".json"));
    expect(waiting).toHaveLength(errors.length - 1);
    const [lost = "", ...others] = waiting.toSorted();
    rmSync(join(cwd, ".kindlm", "runs", lost), { recursive: true });
    const both = await Promise.all([1, 2].map(() => runCli(["upload", "--pending"], options)));
    expect(both.map(({ stderr }) => stderr).join("")).toContain(`Run ${lost} was not uploaded:\n✗ `);
    expect([...server.runs.keys()].toSorted()).toEqual(others.map((run) => `/projects/shop/runs/${run}`));
    expect(outbox(cwd)).toEqual([]);
    expect((await runCli(["upload", "--pending"], options)).stderr).toBe("No upload is pending\n");
  });

  it("sends what --dry-run prints, once, and drains what waits", async () => {
    const server = await startResultsServer();
    const cwd = makeProject({ "kindlm.yaml": config("goodbye") });
    const missing = await runCli(["test", "--upload"], { cwd });
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain(
      "✗ No results server is set\n  Use --server, set KINDLM_SERVER, or set upload.server in the config\n",
    );
    const options = { cwd, env: envOf(server.url) };
    const second = await runCli(["test", "--upload"], options);
    expect(second.code).toBe(1);
    expect(second.stderr).toMatch(
      new RegExp(`Uploaded: ${server.url}/r/\\S+\nUploaded an earlier run: ${server.url}/r/\\S+\n$`),
    );
    expect(outbox(cwd)).toEqual([]);
    const [put] = server.requests;
    expect(put).toMatchObject({
      method: "PUT",
      headers: { "content-encoding": "gzip", authorization: `Bearer ${serverToken}` },
    });
    expect(put?.path).toMatch(/^\/projects\/shop\/runs\/\d{8}-\d{9}-[0-9a-f]{6}$/);
    const dry = await runCli(["upload", "--dry-run"], { cwd });
    expect(JSON.parse(dry.stdout)).toEqual(JSON.parse(put?.text ?? ""));
    const again = await runCli(["upload"], options);
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining("Was uploaded before: ") as string });
  });

  it("links the comment for a pull request to the page of the run, once there is one", async () => {
    const server = await startResultsServer();
    const cwd = makeProject({});
    const commentOf = async (check: string, env: Record<string, string>): Promise<string[]> => {
      writeFileSync(join(cwd, "kindlm.yaml"), config(check));
      await runCli(["test", "--upload", "--reporter", "pr-comment=comment.md"], {
        cwd,
        env,
        clock: createLeapingClock(),
      });
      return readFileSync(join(cwd, "comment.md"), "utf8").trimEnd().split("\n");
    };
    const link = new RegExp(String.raw`\[all results\]\(${server.url}/r/[\w-]+\)$`);
    const [line, ...others] = await commentOf("hello", envOf(server.url));
    expect([line, others]).toEqual([expect.stringMatching(link), []]);
    expect((await commentOf("goodbye", envOf(server.url))).at(-1)).toMatch(link);
    expect((await commentOf("goodbye", envOf(await refusedUrl()))).join("\n")).not.toContain("all results");
  });

  it("logs in lines with --log-format json", async () => {
    const server = await startResultsServer();
    const cwd = makeProject({ "kindlm.yaml": config() });
    const args = ["test", "--upload", "--log-format", "json"];
    const last = async (env: Record<string, string>): Promise<unknown[]> => {
      const { stderr } = await runCli(args, { cwd, env });
      const lines = stderr.trimEnd().split("\n");
      return lines.slice(-2).map((line): unknown => JSON.parse(line));
    };
    expect(await last({})).toMatchObject([
      { level: "error", code: "CLOUD_AUTH_ERROR", message: "Not logged in" },
      { level: "warn", code: null, message: kept.trimEnd() },
    ]);
    const uploaded = expect.stringContaining(`Uploaded: ${server.url}/r/`) as string;
    expect((await last(envOf(server.url)))[0]).toMatchObject({ level: "info", message: uploaded });
  });

  it("sends a run that could not be written, and keeps none then", async () => {
    const server = await startResultsServer();
    // No folder can be made where a file is.
    const cwd = makeProject({ "kindlm.yaml": config("goodbye"), ".kindlm": "" });
    const options = { cwd, env: envOf(server.url) };
    const ran = await runCli(["test", "--upload"], options);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("The run continued without its journal");
    expect(ran.stderr).toContain(`Uploaded: ${server.url}/r/`);
    expect(JSON.parse(server.requests[0]?.text ?? "")).toMatchObject({
      run: { verdict: "failed", rules: { gates: {} } },
      cases: [{ id: "s/a@m", status: "failed", trials: [{ trial: 1, status: "failed" }] }],
    });
    server.answer = () => ({ status: 403, body: said("forbidden", "The token cannot write") });
    const failed = await runCli(["test", "--upload"], options);
    expect([failed.code, failed.stderr.endsWith(notKept)]).toEqual([1, true]);
  });

  it("is abandoned by Ctrl-C, and keeps the run", async () => {
    const server = await startResultsServer();
    const interrupt = new AbortController();
    server.answer = () => {
      interrupt.abort();
      return "hang";
    };
    const cwd = makeProject({ "kindlm.yaml": config() });
    const options: InProcessOptions = { cwd, env: envOf(server.url), interrupt: interrupt.signal };
    const ran = await runCli(["test", "--upload"], options);
    expect([ran.code, ran.stderr.endsWith(kept)], ran.stderr).toEqual([0, true]);
    expect(outbox(cwd)).toHaveLength(1);
  });

  it.each(["--list", "--vacuity", "--no-journal", "--watch"])("cannot be combined with %s", async (flag) => {
    const ran = await runCli(["test", "--upload", flag], { cwd: await finished });
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining("cannot be combined with") as string });
  });
});

describe("kindlm upload", () => {
  it("sends an interrupted run, which --upload does not, and marks it", async () => {
    const server = await startResultsServer();
    const cwd = makeProject({ "kindlm.yaml": config() });
    const options = { cwd, env: envOf(server.url) };
    const ran = await runCli(["test", "--upload"], { ...options, interrupt: AbortSignal.abort() });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/An interrupted run is not uploaded. To upload it: kindlm upload \d{8}-\S+\n/);
    expect(server.requests).toEqual([]);
    expect((await runCli(["upload"], options)).code).toBe(0);
    expect(JSON.parse(server.requests[0]?.text ?? "")).toMatchObject({ run: { interrupted: true } });
  });

  it("sends what kindlm merge made, with the shards that it replaces, and those by their build", async () => {
    const server = await startResultsServer();
    const cwd = makeProject({ "kindlm.yaml": config() });
    const env = { ...envOf(server.url), GITHUB_RUN_ID: "42", GITHUB_RUN_ATTEMPT: "2", GITHUB_HEAD_REF: "topic" };
    for (const shard of ["1/2", "2/2"]) await runCli(["test", "--upload", "--shard", shard], { cwd, env });
    const merged = await runCli(["merge", ".kindlm/runs", "--upload"], { cwd, env });
    expect([merged.code, merged.stderr]).toEqual([0, expect.stringContaining("Uploaded: ")]);
    const runs = server.requests.map(({ text }) => (JSON.parse(text) as { run: Record<string, unknown> }).run);
    const [one, two, both] = runs;
    for (const run of runs) expect(run).toMatchObject({ ciAttempt: "github:42.2", branch: "topic" });
    expect([one?.["configHash"], one?.["mergedFrom"]]).toEqual([two?.["configHash"], undefined]);
    expect(both).toMatchObject({ cases: 1, mergedFrom: [one?.["run"], two?.["run"]] });
  });
});

describe("kindlm runs --remote", () => {
  it("lists and shows what the server has", async () => {
    const server = await startResultsServer();
    const cwd = makeProject({ "kindlm.yaml": config() });
    const options = {
      cwd,
      env: { ...envOf(server.url), CIRCLE_WORKFLOW_ID: "7", CIRCLE_BRANCH: "a-branch-\u001b[31m" },
    };
    const none = await runCli(["runs", "--remote"], options);
    expect(none).toMatchObject({ code: 0, stdout: "No runs on the server yet. Upload one: kindlm upload\n" });
    await runCli(["test", "--upload"], options);
    const listed = await runCli(["runs", "--remote"], options);
    expect(listed.stdout).toMatch(/^RUN +STATE +PASSED +BRANCH +COST\n\S+ +passed +1\/1 +a-branch-\S+ +\$0\n$/);
    expect(listed.stdout).not.toContain("\u001b");
    const [id = ""] = /^\d\S+/m.exec(listed.stdout) ?? [];
    const shown = await runCli(["runs", "show", id, "--remote"], options);
    expect(shown.stdout).toContain(`Run ${id}\n  state    passed\n`);
    expect(shown.stdout).toContain(`  page     ${server.url}/r/${id}\n`);
    const json = await runCli(["runs", "list", "--remote", "--json"], options);
    expect(JSON.parse(json.stdout)).toMatchObject([{ id, verdict: "passed", counts: { passed: 1 } }]);
    const missing = await runCli(["runs", "show", "nothing", "--remote"], options);
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining("✗ Nothing is here\n") as string });
    const last = await runCli(["runs", "show", "--remote"], options);
    expect(last.stderr).toContain("✗ --remote needs the whole ID of a run\n");
    const alone = await runCli(["runs", "--server", server.url], options);
    expect(alone.stderr).toContain("✗ --server needs --remote\n");
    expect((await runCli(["runs", "--limit", "2"], options)).stderr).toContain("✗ --limit needs --remote\n");
    server.answer = () => ({ status: 200, body: { items: [{}] } });
    expect((await runCli(["runs", "--remote"], options)).stderr).toContain("cannot read");
  });
});

describe("many runs and projects", () => {
  it("come in pages up to a limit, by the project that is named", async () => {
    const server = await startResultsServer();
    const cwd = makeProject({ "kindlm.yaml": config() });
    const options = { cwd, env: envOf(server.url) };
    await runCli(["test"], options);
    type Described = { run: { run: string } };
    const document = JSON.parse((await runCli(["upload", "--dry-run"], options)).stdout) as Described;
    for (let number = 0; number < 250; number += 1) {
      const [run, body] = [`run-${number}`, { ...document, run: { ...document.run, run: `run-${number}` } }];
      server.runs.set(`/projects/other/runs/${run}`, JSON.stringify(body));
    }
    const list = (...flags: readonly string[]) => runCli(["runs", "--remote", "--project", "other", ...flags], options);
    const usual = await list();
    expect([usual.stdout.split("\n").length, usual.stderr]).toEqual([
      202,
      "Older runs: kindlm runs --remote --limit 400\n",
    ]);
    server.requests = [];
    const all = await list("--limit", "1000", "--json");
    const ids = (JSON.parse(all.stdout) as { id: string }[]).map(({ id }) => id);
    expect([ids.length, new Set(ids).size, all.stderr]).toEqual([250, 250, ""]);
    expect(server.requests.map(({ path }) => path)).toEqual([
      "/projects/other/runs?most=200",
      "/projects/other/runs?most=200&after=200",
    ]);
    await runCli(["upload", "--project", "third"], options);
    expect(server.requests.at(-1)?.path).toBe(`/projects/third/runs/${document.run.run}`);
  });

  it("have a server that kindlm doctor asks, if one is set", async () => {
    const server = await startResultsServer();
    const cwd = makeProject({ "kindlm.yaml": config() });
    const env = envOf(server.url);
    const check = async (given: Record<string, string>, ...flags: readonly string[]) => {
      const { code, stdout } = await runCli(["doctor", "--json", ...flags], { cwd, env: given });
      const { checks } = JSON.parse(stdout) as { checks: { name: string }[] };
      return [code, ...checks.filter(({ name }) => name === "uploads")];
    };
    expect(await check({})).toEqual([0]);
    const message = `${server.url}: Ada, acme, shop, until 2027-01-01`;
    expect(await check(env)).toMatchObject([0, { status: "ok", message }]);
    expect(await check(env, "--offline")).toMatchObject([0, { status: "info", message: `${server.url}, not asked` }]);
    const login = `Run: kindlm login --server ${server.url}`;
    expect(await check({ KINDLM_SERVER: server.url })).toMatchObject([0, { status: "warning", fix: login }]);
    server.answer = () => ({ status: 200, body: { scopes: ["runs:read"] } });
    expect(await check(env)).toMatchObject([
      0,
      { status: "warning", message: `The token for ${server.url} cannot upload` },
    ]);
    server.answer = () => ({ status: 200, body: { scopes: ["runs:write"], projects: [] } });
    expect(await check(env)).toMatchObject([0, { message: `Project "shop" not found on ${server.url}` }]);
  });

  it("are none that kindlm doctor could ask where two configs name different ones", async () => {
    const naming = (name: string, port: number): string => `version: 1
models: [{ id: m, provider: scripted, script: { otherwise: { text: hi } } }]
suites: [{ name: ${name}, tests: [{ name: t, input: hi, assert: [{ type: contains, value: hi }] }] }]
upload: { server: "http://127.0.0.1:${port}" }
`;
    const cwd = makeProject({ "a.yaml": naming("a", 1), "b.yaml": naming("b", 2) });
    const { code, stdout } = await runCli(["doctor", "a.yaml", "b.yaml", "--offline"], { cwd });
    const differing = '"upload" holds for the whole run, and a.yaml and b.yaml set it to different values';
    expect(stdout).toContain(`⚠ uploads   ${differing}\n            Set it in one of the files\n`);
    expect(code).toBe(0);
    const sent = await runCli(["upload", "-c", "a.yaml", "-c", "b.yaml"], { cwd });
    expect([sent.code, sent.stderr]).toEqual([1, expect.stringContaining(differing)]);
  });
});

import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { createLeapingClock } from "./support/leaping-clock.js";
import { serverToken, startResultsServer, type Answer, type ResultsServer } from "./support/results-server.js";
import { runCli } from "./support/run-cli.js";

const config = (upload: string): string => `version: 1
project: shop
${upload}
models: [{ id: m, provider: scripted, script: { otherwise: { text: hello } } }]
suites: [{ name: s, tests: [{ name: a, input: hi, assert: [{ type: contains, value: hello }] }] }]
`;

const fileIn = (cwd: string): string => join(cwd, ".config/kindlm/credentials.json");
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

/** Answers as RFC 8628 has it: with each of `replies`, then with the token. */
function answerLogin(server: ResultsServer, replies: readonly string[]): void {
  const left = [...replies];
  server.answer = ({ path }): Answer | null => {
    if (path === "/auth/device") {
      const page = `${server.url}/device`;
      const code = { device_code: "device-secret", user_code: "WDJB-MJHT", expires_in: 60, interval: 5 };
      return {
        status: 200,
        body: { ...code, verification_uri: page, verification_uri_complete: `${page}?c=WDJB-MJHT` },
      };
    }
    if (path !== "/auth/token") return null;
    const error = left.shift();
    if (error !== undefined) return { status: 400, body: { error, message: error, details: {} } };
    return { status: 200, body: { access_token: serverToken, token_type: "Bearer", expires_in: 7_776_000 } };
  };
}

async function loggedIn(): Promise<{ cwd: string; server: ResultsServer }> {
  const server = await startResultsServer();
  const cwd = makeProject({});
  const done = await runCli(["login", "--server", server.url, "--token"], { cwd, stdin: `${serverToken}\n` });
  expect(done).toMatchObject({ code: 0, stderr: "", stdout: `Logged in to ${server.url}: Ada, acme\n` });
  return { cwd, server };
}

describe("kindlm login", () => {
  it("stores the token that a person approves in a browser, for its server alone", async () => {
    const server = await startResultsServer();
    answerLogin(server, ["authorization_pending", "slow_down", "authorization_pending"]);
    const cwd = makeProject({});
    const clock = createLeapingClock();
    const before = clock.monotonic();
    const done = await runCli(["login", "--server", `${server.url}/`], { cwd, clock });
    expect(done).toMatchObject({ code: 0, stdout: `Logged in to ${server.url}: Ada, acme\n` });
    expect(done.stderr).toContain(`Page:     ${server.url}/device\n`);
    expect(done.stderr).toContain("Code:     WDJB-MJHT\n");
    // Two waits of 5 s, and two of 10 s after it was asked to slow down.
    expect(Math.floor((clock.monotonic() - before) / 1_000)).toBe(30);
    const asked = server.requests.filter(({ path }) => path.startsWith("/auth/"));
    const grant = "urn:ietf:params:oauth:grant-type:device_code";
    const poll = { client_id: "kindlm-cli", grant_type: grant, device_code: "device-secret" };
    const client = { client_id: "kindlm-cli" };
    expect(asked.map(({ text }): unknown => JSON.parse(text))).toEqual([client, poll, poll, poll, poll]);
    expect([modeOf(fileIn(cwd)), modeOf(join(cwd, ".config/kindlm"))]).toEqual(["600", "700"]);
    expect(JSON.parse(readFileSync(fileIn(cwd), "utf8"))).toMatchObject({
      version: 1,
      servers: { [server.url]: { token: serverToken } },
    });
  });

  it.each([
    [["access_denied"], "✗ The login was declined in the browser\n  Run: kindlm login\n"],
    [["expired_token"], "✗ The code expired before the login was approved\n  Run: kindlm login\n"],
    [Array<string>(20).fill("authorization_pending"), "✗ The code expired before the login was approved\n"],
  ])("stores nothing after %j", async (replies, error) => {
    const server = await startResultsServer();
    answerLogin(server, replies);
    const cwd = makeProject({});
    const done = await runCli(["login", "--server", server.url], { cwd, clock: createLeapingClock({ restMs: 2 }) });
    expect(done).toMatchObject({ code: 1, stdout: "" });
    expect(done.stderr).toContain(error);
    expect(() => statSync(fileIn(cwd))).toThrow("ENOENT");
  });

  it("revokes a token that cannot be stored", async () => {
    const server = await startResultsServer();
    answerLogin(server, []);
    const cwd = makeProject({});
    // No folder can be made below a link that leads nowhere.
    symlinkSync(join(cwd, "missing"), join(cwd, ".config"));
    const done = await runCli(["login", "--server", server.url], { cwd, clock: createLeapingClock() });
    expect([done.code, done.stdout]).toEqual([1, ""]);
    expect(done.stderr).toContain("  Check the free disk space and the permissions\n");
    const last = { method: "DELETE", path: "/tokens/self", authorization: `Bearer ${serverToken}` };
    expect(server.requests.at(-1)).toMatchObject(last);
  });

  it("names the three ways to set a server", async () => {
    const cwd = makeProject({ "kindlm.yaml": config("") });
    for (const command of ["login", "logout", "whoami", "upload"]) {
      expect(await runCli([command], { cwd })).toMatchObject({
        code: 1,
        stdout: "",
        stderr: "✗ No results server is set\n  Use --server, set KINDLM_SERVER, or set upload.server in the config\n",
      });
    }
  });

  it("refuses addresses that a token must not go to, and what is no token", async () => {
    const cwd = makeProject({ "kindlm.yaml": config("upload: { server: http://results.example.com }") });
    const plain = await runCli(["login"], { cwd });
    expect(plain.stderr).toContain('✗ Config error: "http://results.example.com" is plain HTTP');
    expect(plain.stderr).toContain("kindlm.yaml:3:");
    expect((await runCli(["validate"], { cwd })).stderr).toContain("is plain HTTP");
    const server = await startResultsServer();
    const empty = await runCli(["login", "--server", server.url, "--token"], {
      cwd: makeProject({}),
      stdin: "two words",
    });
    expect(empty.stderr).toContain("✗ Standard input has no token\n");
    const ofConfig = makeProject({ "kindlm.yaml": config(`upload: { server: "${server.url}" }`) });
    const piped = await runCli(["login", "--token"], { cwd: ofConfig, stdin: serverToken });
    expect(piped.stderr).toContain("✗ A token from standard input is not sent to an address that the config names\n");
    expect(server.requests).toEqual([]);
  });
});

describe("a stored token", () => {
  it("serves whoami, and logout revokes and removes it", async () => {
    const { cwd, server } = await loggedIn();
    const flags = ["--server", server.url];
    const who = await runCli(["whoami", ...flags], { cwd });
    expect(who.stdout).toBe(`server       ${server.url}
user         Ada
organization acme
projects     shop
scopes       runs:write
expires      2027-01-01T00:00:00.000Z
token        from kindlm login
`);
    const json = await runCli(["whoami", "--json", ...flags], { cwd });
    expect(JSON.parse(json.stdout)).toMatchObject({ user: "Ada", tokenFrom: "login" });
    server.answer = () => ({ status: 500, body: { error: "UNKNOWN_ERROR", message: "Something went wrong" } });
    const kept = readFileSync(fileIn(cwd), "utf8");
    const failed = await runCli(["logout", ...flags], { cwd, clock: createLeapingClock() });
    expect(failed).toMatchObject({
      code: 1,
      stderr: `✗ The token was removed here and not revoked. Something went wrong\n  Revoke it on the server: ${server.url}\n`,
    });
    writeFileSync(fileIn(cwd), kept, { mode: 0o600 });
    server.answer = () => null;
    server.requests = [];
    const left = await runCli(["logout", ...flags], { cwd });
    expect(left).toMatchObject({ code: 0, stdout: `Logged out of ${server.url}\n` });
    expect(server.requests).toMatchObject([{ method: "DELETE", path: "/tokens/self" }]);
    expect(readFileSync(fileIn(cwd), "utf8")).not.toContain("klm_");
    expect((await runCli(["whoami", ...flags], { cwd })).stderr).toBe(
      `✗ Not logged in to ${server.url}\n  Run: kindlm login --server ${server.url}\n`,
    );
  });

  it("is not used if others could read it or put it there", async () => {
    const { cwd, server } = await loggedIn();
    server.requests = [];
    const who = async (): Promise<string> => {
      const outcome = await runCli(["whoami", "--server", server.url], { cwd });
      expect([outcome.code, outcome.stdout]).toEqual([1, ""]);
      return outcome.stderr;
    };
    const folder = join(cwd, ".config/kindlm");
    chmodSync(fileIn(cwd), 0o644);
    expect(await who()).toBe(`✗ ${fileIn(cwd)} is open to other users (mode 0644)\n  Run: chmod 600 ${fileIn(cwd)}\n`);
    chmodSync(fileIn(cwd), 0o600);
    chmodSync(folder, 0o750);
    expect(await who()).toBe(`✗ ${folder} is open to other users (mode 0750)\n  Run: chmod 700 ${folder}\n`);
    chmodSync(folder, 0o700);
    writeFileSync(fileIn(cwd), '{"version":1,"servers":{"x":{}}}');
    expect(await who()).toContain(`✗ ${fileIn(cwd)} is damaged\n`);
    const linked = makeProject({});
    mkdirSync(join(linked, ".config/kindlm"), { recursive: true, mode: 0o700 });
    symlinkSync(fileIn(cwd), fileIn(linked));
    const through = await runCli(["whoami", "--server", server.url], { cwd: linked });
    expect(through.stderr).toContain(`✗ ${fileIn(linked)} is a link\n`);
    expect(server.requests).toEqual([]);
  });
});

describe("a token of the environment", () => {
  it("is not handed to tools and programs under test", async () => {
    const names = ["KINDLM_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_URL", "ACTIONS_ID_TOKEN_REQUEST_TOKEN", "OTHER"];
    const reveal = `process.stdout.write(JSON.stringify(${JSON.stringify(names)}.map((name) => process.env[name] ?? "")))`;
    const cwd = makeProject({
      "kindlm.yaml": `version: 1
project: shop
models: [{ id: m, provider: scripted, script: script.yaml }]
suites:
  - name: s
    tools: [{ name: look, command: [node, -e, ${JSON.stringify(reveal)}] }]
    tests: [{ name: a, input: hi, assert: [{ type: tool_called, tool: look }] }]
`,
      "script.yaml": `rules: [{ when: { turn: 1 }, reply: { tool_calls: [{ tool: look, args: {} }] } }]\notherwise: { text: done }\n`,
    });
    // With the second and third, a job of GitHub Actions proves which job it is.
    const env = Object.fromEntries(names.map((name) => [name, name === "KINDLM_TOKEN" ? serverToken : "other"]));
    const ran = await runCli(["test", "--reporter", "json"], { cwd, env });
    expect([ran.code, ran.stdout.replaceAll(/\s+/g, "")]).toEqual([0, expect.stringContaining('["","","","other"]')]);
  });

  it("never goes to an address from a config", async () => {
    const server = await startResultsServer();
    const cwd = makeProject({
      "kindlm.yaml": config(`upload: { server: "${server.url}" }`),
      ".env": `KINDLM_SERVER=${server.url}\n`,
    });
    const env = { KINDLM_TOKEN: serverToken };
    const refused = `✗ KINDLM_TOKEN is not sent to an address that the config names
  Set KINDLM_SERVER=${server.url} as well, where pull requests cannot change it
`;
    expect(await runCli(["whoami"], { cwd, env })).toMatchObject({ code: 1, stderr: refused });
    const ran = await runCli(["test", "--upload"], { cwd, env });
    expect([ran.code, ran.stderr.includes(refused)]).toEqual([0, true]);
    expect(server.requests).toEqual([]);
    const both = await runCli(["whoami"], { cwd, env: { ...env, KINDLM_SERVER: server.url } });
    expect(both.stdout).toContain("token        from KINDLM_TOKEN\n");
  });
});

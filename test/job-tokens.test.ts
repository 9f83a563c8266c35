import { describe, expect, it } from "vitest";
import { afterFile } from "../packages/core/src/__fixtures__/clean-up.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { sendJson, startServer, type ReceivedRequest } from "../packages/core/src/__fixtures__/start-server.js";
import { createLeapingClock } from "./support/leaping-clock.js";
import { serverToken, startResultsServer, type Answer, type ResultsServer } from "./support/results-server.js";
import { runCli } from "./support/run-cli.js";

const config = `version: 1
project: shop
models: [{ id: m, provider: scripted, script: { otherwise: { text: hello } } }]
suites: [{ name: s, tests: [{ name: a, input: hi, assert: [{ type: contains, value: hello }] }] }]
`;

const requestToken = "token-of-the-job-that-nobody-sees";

/** What a job of GitHub Actions asks for a token that says which job it is. */
async function startGitHub(status = 200) {
  const requests: Pick<ReceivedRequest, "path" | "headers">[] = [];
  const server = await startServer(({ path, headers }, response) => {
    requests.push({ path, headers });
    sendJson(response, status, { value: identityOf(requests.length) });
  });
  afterFile(() => server.close());
  const env = {
    ACTIONS_ID_TOKEN_REQUEST_URL: `${server.url}/idtoken?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: requestToken,
  };
  return { requests, env };
}

const identityOf = (number: number): string => `eyJhbGciOiJSUzI1NiJ9.aWRlbnRpdHkt${number}.c2lnbmF0dXJl`;

/** Exchanges identities after it has answered with each of `first`. */
async function startExchange(...first: readonly Answer[]): Promise<ResultsServer> {
  const server = await startResultsServer();
  const left = [...first];
  const token = { access_token: serverToken, token_type: "Bearer", expires_ms: 0 };
  server.answer = ({ path }) => (path === "/auth/oidc" ? (left.shift() ?? { status: 200, body: token }) : null);
  return server;
}

const exchanged = ({ requests }: ResultsServer): unknown[] =>
  requests.filter(({ path }) => path === "/auth/oidc").map(({ text }): unknown => JSON.parse(text));

describe("a job of GitHub Actions without a token", () => {
  it("uploads with one that it gets for its identity, a new one for each attempt, and shows none of them", async () => {
    const [github, server] = [await startGitHub(), await startExchange({ status: 503, body: {} })];
    const cwd = makeProject({ "kindlm.yaml": config });
    const env = { ...github.env, KINDLM_SERVER: `${server.url}/`, DEBUG: "kindlm*" };
    const ran = await runCli(["test", "--upload", "--verbose"], { cwd, env, clock: createLeapingClock() });
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining(`Uploaded: ${server.url}/r/`)]);
    expect(exchanged(server)).toEqual([1, 2].map((number) => ({ project: "shop", token: identityOf(number) })));
    expect(server.requests.at(-1)?.authorization).toBe(`Bearer ${serverToken}`);
    expect(server.requests[0]?.authorization).toBeUndefined();
    const audience = encodeURIComponent(server.url);
    expect(github.requests).toMatchObject(
      [1, 2].map(() => ({
        path: `/idtoken?api-version=2.0&audience=${audience}`,
        headers: { authorization: `Bearer ${requestToken}` },
      })),
    );
    // The trace has the requests, and no secret.
    const url = `"url":"${server.url}/api/v1/auth/oidc"`;
    expect(ran.stderr).toMatch(/kindlm:server\/request \{"method":"POST",/);
    expect(ran.stderr).toContain(`${url},"status":503`);
    for (const secret of [requestToken, serverToken, identityOf(1), identityOf(2)]) {
      expect(ran.stdout + ran.stderr).not.toContain(secret);
    }
  });

  it("says what to do if it is not trusted, or gets no identity", async () => {
    const message = "The project does not trust this repository";
    const refused = { status: 401, body: { error: "CLOUD_AUTH_ERROR", message, details: {} } };
    const [github, server] = [await startGitHub(), await startExchange(refused)];
    const cwd = makeProject({ "kindlm.yaml": config });
    const who = (env: Record<string, string>, flags: readonly string[] = []) =>
      runCli(["whoami", ...flags], { cwd, env: { KINDLM_SERVER: server.url, ...env } });
    const untrusted = `✗ ${message}\n  Let the project on the server trust this repository, and its branch or environment\n`;
    expect(await who(github.env)).toMatchObject({ code: 1, stderr: untrusted });
    expect((await who(github.env)).stdout).toContain("token        from GitHub Actions\n");
    const permission = "  Give the job the permission id-token: write, or set KINDLM_TOKEN\n";
    const forbidden = await startGitHub(403);
    expect((await who(forbidden.env)).stderr).toBe(
      `✗ GitHub gave no token for this job: it answered 403\n${permission}`,
    );
    const plain = { ...github.env, ACTIONS_ID_TOKEN_REQUEST_URL: "http://192.0.2.7/idtoken" };
    expect((await who(plain)).stderr).toBe(
      `✗ GitHub gave no token for this job: its address is not HTTPS\n${permission}`,
    );
    expect(exchanged(server)).toHaveLength(2);
  });

  it("asks for none if there is a token, or if only the config names the server", async () => {
    const [github, server] = [await startGitHub(), await startExchange()];
    const cwd = makeProject({ "kindlm.yaml": `${config}upload: { server: "${server.url}" }\n` });
    const own = { ...github.env, KINDLM_SERVER: server.url, KINDLM_TOKEN: serverToken };
    expect((await runCli(["whoami"], { cwd, env: own })).stdout).toContain("from KINDLM_TOKEN");
    server.requests = [];
    const ofConfig = await runCli(["whoami"], { cwd, env: github.env });
    expect(ofConfig.stderr).toContain(`✗ Not logged in to ${server.url}\n`);
    expect([github.requests, server.requests]).toEqual([[], []]);
  });
});

import { sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import { sampleUpload } from "../__fixtures__/sample-upload.js";
import { signingKey, startTestIssuer, type TestIssuer } from "../__fixtures__/test-issuer.js";
import { startTestServer, type TestServer } from "../__fixtures__/test-server.js";

const sharedIssuer = startTestIssuer();
const repository = "67890";
let issued = 0;

/** As GitHub's documentation has them: all but the times are text. */
function claimsFor(server: TestServer, issuer: TestIssuer, own: Record<string, unknown> = {}) {
  const now = server.clock.now / 1_000;
  issued += 1;
  return {
    iss: issuer.url,
    aud: "http://127.0.0.1:4310",
    sub: "repo:acme/shop:ref:refs/heads/main",
    jti: `id-${server.orgId}-${issued}`,
    iat: now,
    nbf: now - 600,
    exp: now + 300,
    repository: "acme/shop",
    repository_id: repository,
    ref: "refs/heads/main",
    ...own,
  };
}

/** With a project of a name of its own, since all tests share a database. */
async function start(trust: Record<string, unknown> = {}) {
  const issuer = await sharedIssuer;
  const server = await startTestServer({ issuer: issuer.url });
  const project = `shop-${server.projectId}`;
  expect(await server.send("/projects", { method: "POST", body: { name: project } })).toMatchObject({ status: 201 });
  const made = await server.send(`/projects/${project}/trusts`, {
    method: "POST",
    body: { repository_id: repository, ...trust },
  });
  expect(made).toMatchObject({ status: 201 });
  const send = (token: string, to = project) =>
    server.send("/auth/oidc", { method: "POST", token: null, body: { project: to, token } });
  const exchange = (own?: Record<string, unknown>, header?: Parameters<TestIssuer["issue"]>[1]) =>
    send(issuer.issue(claimsFor(server, issuer, own), header));
  return { issuer, server, project, send, exchange, trust: String(made.json["id"]) };
}

const refused = (message: string) => ({ status: 401, json: { error: "CLOUD_AUTH_ERROR", message, details: {} } });

describe("an ID token of GitHub Actions", () => {
  it("is exchanged for 15 minutes of uploads to one project", async () => {
    const { server, project, exchange, trust } = await start();
    const { status, json } = await exchange();
    expect({ status, ...json }).toMatchObject({ token_type: "Bearer", expires_ms: server.clock.now + 900_000 });
    const token = String(json["access_token"]);
    const put = (to: string, run: string) =>
      server.send(`/projects/${to}/runs/${run}`, { method: "PUT", body: sampleUpload({ run }), token });
    expect(await put(project, "one")).toMatchObject({ status: 201 });
    expect(await put("shop", "one")).toMatchObject({ status: 404 });
    expect(await server.send(`/projects/${project}/runs`, { token })).toMatchObject({ status: 403 });
    server.clock.now += 900_000;
    expect(await put(project, "two")).toMatchObject({ status: 401 });
    const again = String((await exchange()).json["access_token"]);
    const removed = await server.send(`/projects/${project}/trusts/${trust}`, { method: "DELETE" });
    expect(removed).toMatchObject({ status: 200, json: { id: trust } });
    expect(await server.send("/me", { token: again })).toMatchObject({ status: 401 });
    expect(await exchange()).toMatchObject({ status: 401 });
    const { json: log } = await server.send("/audit");
    expect(JSON.stringify(log)).toContain(`"actor":"${trust}","action":"token.exchange"`);
  });

  it("is refused if it is forged, for somebody else, too old, or used already", async () => {
    const { issuer, server, project, send, exchange } = await start();
    const form = "The ID token has a form or algorithm that is not valid";
    expect(await exchange({}, { alg: "none" })).toMatchObject(refused(form));
    expect(await exchange({}, { alg: "HS256" })).toMatchObject(refused(form));
    expect(await send("no.token")).toMatchObject(refused(form));
    expect(await send(`${"a".repeat(20_000)}.b.c`)).toMatchObject(refused(form));
    expect(await exchange({}, { kid: "other" })).toMatchObject(refused("The ID token is signed with an unknown key"));
    expect(await exchange({}, { alg: "ES256" })).toMatchObject(refused("The ID token is signed with an unknown key"));
    expect(await exchange({}, { crit: ["exp"] })).toMatchObject(refused(form));
    // The issuer has not published this one.
    const theirs = signingKey("key-2");
    const brought = { jwk: theirs.jwk };
    const [itsHead = "", itsClaims = ""] = issuer.issue(claimsFor(server, issuer), brought).split(".");
    const bySelf = sign("sha256", Buffer.from(`${itsHead}.${itsClaims}`), theirs.privateKey).toString("base64url");
    const wrong = refused("The ID token has a wrong signature");
    expect(await send(`${itsHead}.${itsClaims}.${bySelf}`), "with its own key").toMatchObject(wrong);
    const [head, , signature] = issuer.issue(claimsFor(server, issuer)).split(".");
    const claims = Buffer.from(JSON.stringify(claimsFor(server, issuer))).toString("base64url");
    expect(await send(`${head}.${claims}.${signature}`)).toMatchObject(wrong);
    const now = server.clock.now / 1_000;
    for (const [own, reason] of [
      [{ iss: "https://token.actions.githubusercontent.com" }, "has another issuer"],
      [{ aud: "https://github.com/acme" }, "is not for http://127.0.0.1:4310"],
      [{ exp: now - 30 }, "has expired"],
      [{ nbf: now + 31 }, "is not valid yet"],
      [{ jti: undefined }, "lacks claims"],
      [{ exp: undefined }, "lacks claims"],
    ] as const)
      expect(await exchange(own)).toMatchObject(refused(`The ID token ${reason}`));
    const untrusted = (name: string) => refused(`Project "${name}" does not trust this repository, ref or environment`);
    expect(await exchange({ repository_id: "67891" })).toMatchObject(untrusted(project));
    // The name of a repository can be taken by somebody else; its number cannot.
    expect(await exchange({ repository_id: undefined })).toMatchObject(untrusted(project));
    expect(await send(issuer.issue(claimsFor(server, issuer)), "unknown")).toMatchObject(untrusted("unknown"));
    const once = issuer.issue(claimsFor(server, issuer));
    expect(await send(once)).toMatchObject({ status: 200 });
    expect(await send(once)).toMatchObject(refused("The ID token was exchanged already: get a new one"));
  });

  it("must have the ref and the environment that the project asks for", async () => {
    const { exchange } = await start({ ref: "refs/heads/main", environment: "ci" });
    expect(await exchange()).toMatchObject({ status: 401 });
    expect(await exchange({ environment: "other" })).toMatchObject({ status: 401 });
    expect(await exchange({ environment: "ci", ref: "refs/pull/1/merge" })).toMatchObject({ status: 401 });
    expect(await exchange({ environment: "ci" })).toMatchObject({ status: 200 });
  });

  it("is not accepted for a project of a name that two organizations trust it for", async () => {
    const [one, other] = [await start(), await startTestServer()];
    expect(await other.send("/projects", { method: "POST", body: { name: one.project } })).toMatchObject({
      status: 201,
    });
    const trusted = { method: "POST", body: { repository_id: repository } };
    expect(await other.send(`/projects/${one.project}/trusts`, trusted)).toMatchObject({ status: 201 });
    expect(await one.exchange()).toMatchObject({ status: 401 });
  });

  it("is checked with keys that are read rarely, and again for a new one", async () => {
    const issuer = await startTestIssuer();
    const server = await startTestServer({ issuer: issuer.url });
    const exchange = (kid: string) => {
      const token = issuer.issue(claimsFor(server, issuer), { kid });
      return server.send("/auth/oidc", { method: "POST", token: null, body: { project: "shop", token } });
    };
    issuer.isDown = true;
    const down = `${issuer.url} does not publish its keys`;
    expect(await exchange("key-1")).toMatchObject({ status: 503, json: { error: "unavailable", message: down } });
    issuer.isDown = false;
    for (const kid of ["key-1", "invented", "key-1", "invented-too"]) await exchange(kid);
    expect(issuer.reads).toBe(1);
    issuer.publish("key-2");
    server.clock.now += 60_000;
    expect(await exchange("key-2")).toMatchObject({
      json: { message: expect.stringContaining("does not trust") as string },
    });
    expect(issuer.reads).toBe(2);
  });
});

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { sampleUpload } from "../__fixtures__/sample-upload.js";
import { sharedDatabase, startTestServer, type SendOptions } from "../__fixtures__/test-server.js";
import { createSecret, sha256 } from "../auth/secrets.js";
import { scopes } from "../auth/tokens.js";
import { planRequired, unavailable } from "./api-error.js";
import { renderOpenApi } from "./render-open-api.js";
import { renderLogLine } from "../operation/render-log-line.js";
import { routes } from "./routes/registry.js";

const upload = sampleUpload({ run: "run-1" });

/** Values for the parameters of paths. A route with a parameter of another name needs one here. */
const values: Readonly<Record<string, string>> = { project: "shop", run: "run-1", part: "1" };

/** The path with existing things, and unknown ones where a test has made none. */
const pathOf = (path: string, own: Readonly<Record<string, string>> = {}): string =>
  path.replaceAll(/\{(\w+)\}/g, (_found, name: string) => own[name] ?? values[name] ?? "unknown");

/** No route looks at its body before it knows who calls. */
const optionsFor = ({ method }: { method: string }): SendOptions => ({
  method: method.toUpperCase(),
  ...(method === "get" || method === "delete" ? {} : { body: {} }),
});

describe("every route", () => {
  const guarded = routes.filter(({ scope }) => scope !== null);
  const nameOf = ({ method, path }: (typeof guarded)[number]): string => `${method} ${path}`;

  it("gives 401 without a token and 403 without its scope", async () => {
    const server = await startTestServer();
    for (const route of guarded) {
      const [path, options] = [pathOf(route.path), optionsFor(route)];
      const anonymous = await server.send(path, { ...options, token: null });
      expect(anonymous, nameOf(route)).toMatchObject({ status: 401, json: { error: "CLOUD_AUTH_ERROR", details: {} } });
      server.clock.now += 10_000;
      if (route.scope === "any") continue;
      const lacking = await server.tokenFor(scopes.filter((scope) => scope !== route.scope));
      expect(await server.send(path, { ...options, token: lacking }), nameOf(route)).toMatchObject({
        status: 403,
        json: { error: "forbidden", details: { required_scope: route.scope } },
      });
    }
  });

  it("hides a project from tokens of other organizations and projects", async () => {
    const [server, other] = [await startTestServer(), await startTestServer()];
    await other.opened.database.deleteFrom("projects").where("id", "=", other.projectId).execute();
    const elsewhere = await server.tokenFor(scopes, ["prj_other"]);
    const refused = { status: 404, json: { error: "not_found", message: "Project not found", details: {} } };
    for (const route of guarded.filter(({ path }) => path.includes("{project}"))) {
      for (const token of [other.token, elsewhere]) {
        const answer = await server.send(pathOf(route.path), { ...optionsFor(route), token });
        expect(answer, nameOf(route)).toMatchObject(refused);
      }
    }
  });

  it("shows nothing of another organization where its path names no project", async () => {
    const [server, other] = [await startTestServer(), await startTestServer()];
    await server.opened.database
      .updateTable("orgs")
      .set({ name: `Org ${server.orgId}` })
      .where("id", "=", server.orgId)
      .execute();
    const canary = `canary-${server.orgId}`;
    const made = await server.send("/tokens", { method: "POST", body: { name: canary, scopes: ["runs:read"] } });
    await server.send("/projects", { method: "POST", body: { name: canary } });
    const own = { token: String(made.json["id"]) };
    for (const route of guarded.filter(({ path }) => !path.includes("{project}"))) {
      const isNamed = route.path.includes("{");
      const answer = await server.send(pathOf(route.path, own), { ...optionsFor(route), token: other.token });
      if (isNamed) expect(answer.status, nameOf(route)).toBe(404);
      for (const secret of [server.orgId, server.projectId, canary]) {
        expect(answer.text, nameOf(route)).not.toContain(secret);
      }
    }
    expect(JSON.stringify([await server.send("/me"), await server.send("/tokens")])).toContain(canary);
  });

  it("is described by the OpenAPI document, made of the schemas that validate", async () => {
    const server = await startTestServer();
    const { json } = await server.send("/openapi.json", { token: null });
    expect(json).toEqual(JSON.parse(JSON.stringify(renderOpenApi(routes))));
    const { paths } = json as { paths: Record<string, Record<string, { requestBody?: unknown }>> };
    expect(Object.values(paths).flatMap((path) => Object.keys(path))).toHaveLength(routes.length);
    expect(JSON.stringify(paths["/projects/{project}/runs/{run}"]?.["put"]?.requestBody)).toContain("agentHash");
  });
});

describe("tokens", () => {
  it("are stored as hashes, expire, and can be revoked", async () => {
    const server = await startTestServer();
    const row = await server.opened.database
      .selectFrom("tokens")
      .selectAll()
      .where("org_id", "=", server.orgId)
      .executeTakeFirst();
    expect(row?.hash).toBe(sha256(server.token));
    expect(JSON.stringify(row)).not.toContain(server.token);
    const made = await server.send("/tokens", {
      method: "POST",
      body: { name: "ci", scopes: ["runs:write"], projects: ["shop"], days: 1 },
    });
    expect(made).toMatchObject({ status: 201, json: { token: expect.stringMatching(/^klm_[\w-]{43}$/) as string } });
    const token = String(made.json["token"]);
    const me = await server.send("/me", { token });
    const expires_ms = server.clock.now + 86_400_000;
    const scopesAndProjects = { scopes: ["runs:write"], projects: ["shop"] };
    expect(me.json).toEqual({ user: null, organization: "Acme", plan: null, ...scopesAndProjects, expires_ms });
    expect((await server.send("/tokens")).text).not.toContain(token);
    server.clock.now += 86_400_000;
    expect(await server.send("/me", { token })).toMatchObject({ status: 401 });
    const again = await server.tokenFor(["runs:read"]);
    expect(await server.send("/tokens/self", { method: "DELETE", token: again })).toMatchObject({ status: 200 });
    expect(await server.send("/me", { token: again })).toMatchObject({ status: 401 });
    const weak = await server.tokenFor(["org:admin"]);
    const greedy = { method: "POST", body: { name: "x", scopes: ["runs:read"] }, token: weak };
    expect(await server.send("/tokens", greedy)).toMatchObject({ status: 403 });
    const log = (await server.send("/audit")).json["items"] as { action: string }[];
    expect(log.map(({ action }) => action)).toEqual(["token.revoke", "token.create"]);
  });

  it("come from a setup link, once, and from a device code that a person approves", async () => {
    const server = await startTestServer();
    const { database } = server.opened;
    const { secret, hash } = createSecret("kls_");
    await database
      .insertInto("setup_links")
      .values({ hash, expires_ms: server.clock.now + 1_000, used_ms: null })
      .execute();
    const person = {
      email: `owner-${server.orgId.slice(4).replaceAll(/\W/g, "")}@example.com`,
      password: "correct horse battery",
    };
    const setup = { method: "POST", token: null, body: { secret, organization: "New", ...person } };
    expect(await server.send("/auth/setup", setup)).toMatchObject({ status: 201, json: { token_type: "Bearer" } });
    expect(await server.send("/auth/setup", setup)).toMatchObject({ status: 401 });
    const device = await server.send("/auth/device", { method: "POST", token: null });
    const exchange = () =>
      server.send("/auth/token", {
        method: "POST",
        token: null,
        body: { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: device.json["device_code"] },
      });
    expect(await exchange()).toMatchObject({ status: 400, json: { error: "authorization_pending" } });
    const approve = (password: string) =>
      server.send("/auth/approve", {
        method: "POST",
        token: null,
        body: { ...person, user_code: device.json["user_code"], password },
      });
    expect(await approve("wrong horse battery")).toMatchObject({ status: 401 });
    expect(await approve(person.password)).toMatchObject({ status: 200 });
    // RFC 8628 sends forms.
    const form = new URLSearchParams({
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      device_code: String(device.json["device_code"]),
      client_id: "kindlm-cli",
    });
    const headers = { "content-type": "application/x-www-form-urlencoded;charset=UTF-8" };
    const granted = await server.send("/auth/token", { method: "POST", token: null, raw: form.toString(), headers });
    expect(granted).toMatchObject({ status: 200 });
    expect(await exchange()).toMatchObject({ status: 400, json: { error: "expired_token" } });
    const me = await server.send("/me", { token: String(granted.json["access_token"]) });
    expect(me.json).toMatchObject({ user: person.email.toLowerCase(), organization: "New", projects: [] });
    const late = await server.send("/auth/device", { method: "POST", token: null });
    expect(late.json).toMatchObject({ expires_in: 600 });
    server.clock.now += 600_000;
    const body = { ...person, user_code: late.json["user_code"] };
    expect(await server.send("/auth/approve", { method: "POST", token: null, body })).toMatchObject({ status: 404 });
  });
});

describe("errors", () => {
  it("say what the specification says, and nothing about the server", async () => {
    const server = await startTestServer();
    const invalid = await server.send("/projects", { method: "POST", body: { name: "a b" } });
    expect(invalid).toMatchObject({
      status: 422,
      json: { error: "validation_error", details: { issues: [{ path: "body.name", code: "invalid_format" }] } },
    });
    expect(await server.send("/projects", { method: "POST", raw: "{" })).toMatchObject({ status: 422 });
    const twice = { method: "POST", body: { name: "twice" } };
    expect(await server.send("/projects", twice)).toMatchObject({ status: 201 });
    expect(await server.send("/projects", twice)).toMatchObject({ status: 409, json: { error: "conflict" } });
    expect(await server.send("/nowhere")).toMatchObject({ status: 404, json: { error: "not_found" } });
    expect(planRequired("pdf_export", "free")).toMatchObject({
      status: 403,
      code: "plan_required",
      details: {
        required_plan: "team",
        current_plan: "free",
        feature: "pdf_export",
        upgrade_url: "https://cloud.kindlm.com/settings/billing",
      },
    });
    expect(planRequired("pdf_export", "free").message).toBe(
      "This feature requires a Team or Enterprise plan. Current plan: free",
    );
    expect(unavailable("x").status).toBe(503);
  });

  it("hide what nobody expected, and log it", async () => {
    const server = await startTestServer();
    const run = { ...upload.run, run: "broken" };
    // No database can store this time.
    server.clock.now = Number.NaN;
    const answer = await server.send("/projects/shop/runs/broken", {
      method: "PUT",
      body: { run, cases: upload.cases },
    });
    expect(answer.json).toEqual({ error: "UNKNOWN_ERROR", message: "Unexpected server error", details: {} });
    expect(answer.status).toBe(500);
    expect(server.logs).toMatchObject([{ level: "error", code: "UNKNOWN_ERROR" }]);
  });

  it("log a hostile name as a part of one line, in which it stays what it is", async () => {
    const forged = `x\r\n{"level":"info","code":"forged"}\n\u001B[2J\u009B2J\u0085\u2028\u202E\u{e0041}\u007F"é😀`;
    const { database: shared } = await sharedDatabase();
    const server = await shared.connection().execute(async (database) => {
      const made = await startTestServer({ database });
      await sql`begin`.execute(database);
      await sql`alter table runs rename to runs_gone`.execute(database);
      const answer = await made.send(`/projects/shop/runs/${encodeURIComponent(forged)}`);
      await sql`rollback`.execute(database);
      expect([answer.status, answer.text.includes("runs")]).toEqual([500, false]);
      return made;
    });
    const lines = server.logs.map((entry) => renderLogLine(entry, 0));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^[^\p{Cc}\p{Zl}\p{Zp}\p{Cf}]+\n$/u);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      level: "error",
      code: "UNKNOWN_ERROR",
      org_id: server.orgId,
      run_id: forged,
      timestamp: "1970-01-01T00:00:00.000Z",
    });
  });

  it("limit requests per token and per address, with the seconds to wait", async () => {
    const server = await startTestServer();
    const device = () => server.send("/auth/device", { method: "POST", token: null });
    const statuses: number[] = [];
    for (let count = 0; count < 11; count += 1) statuses.push((await device()).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
    const refused = await device();
    expect(refused.json).toMatchObject({ error: "CLOUD_RATE_LIMIT", details: { retry_after: 60 } });
    expect(refused.headers.get("retry-after")).toBe("60");
    server.clock.now += 60_000;
    expect(await device()).toMatchObject({ status: 200 });
  });
});

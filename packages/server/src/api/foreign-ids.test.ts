import { describe, expect, it } from "vitest";
import * as z from "zod";
import { sampleUpload } from "../__fixtures__/sample-upload.js";
import { startTestServer, type SendOptions, type TestServer } from "../__fixtures__/test-server.js";
import { createToken, scopes } from "../auth/tokens.js";
import { actions, pages } from "../pages/registry.js";
import { honoPath, type Route } from "./route.js";
import { routes } from "./routes/registry.js";

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;
const namesIn = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
const fill = (path: string, values: Readonly<Record<string, string>>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_found, name: string) => values[name] ?? "unknown");
const bodyFor = ({ method, path }: Route, run: string): SendOptions =>
  method === "get" || method === "delete"
    ? { method: method.toUpperCase() }
    : { method: method.toUpperCase(), body: path.includes("baselines") ? { run } : {} };
/** What may stand in the query of a route, and which other values of it decide what the route does. */
function keysOf({ query }: Route): { name: string; isRequired: boolean; choices: readonly unknown[] }[] {
  if (!(query instanceof z.ZodObject)) return [];
  return Object.entries(query.shape).map(([name, schema]) => {
    const inner: unknown = schema instanceof z.ZodDefault ? schema.unwrap() : schema;
    const isRequired = !(schema instanceof z.ZodType && schema.safeParse(undefined).success);
    return { name, isRequired, choices: inner instanceof z.ZodEnum ? inner.options : [] };
  });
}

/** One thing of each kind in the project `shop`, by the name that paths have for it. */
async function makeOneOfEach(server: TestServer): Promise<Record<string, string>> {
  const post = async (path: string, body: object): Promise<string> =>
    String((await server.send(path, { method: "POST", body })).json["id"]);
  const webhook = await post("/projects/shop/webhooks", { url: "https://h.example.com/", events: ["run.completed"] });
  const run = "run-of-one";
  await server.send(`/projects/shop/runs/${run}`, { method: "PUT", body: sampleUpload({ run }) });
  await server.send("/projects/shop/baselines/refunds", { method: "PUT", body: { run } });
  const trust = await post("/projects/shop/trusts", { repository_id: "7" });
  const { orgId, projectId, clock } = server;
  const job = { orgId, userId: null, name: "job", scopes: ["runs:write"], projects: [projectId] } as const;
  await createToken(server.opened.database, { ...job, nowMs: clock.now, trustId: trust });
  const token = await post("/tokens", { name: "ci", scopes: ["runs:read"] });
  const { json } = await server.send(`/projects/shop/webhooks/${webhook}/deliveries`);
  const [delivery] = json["items"] as { id: number }[];
  const values = { webhook, run, trust, token, delivery: String(delivery?.id), suite: "refunds", part: "1" };
  return { ...values, case: encodeURIComponent("refunds/greets@gpt") };
}

/** What a caller from outside must not change. */
async function rowsOf({ opened, orgId, projectId }: TestServer): Promise<string> {
  const tables = ["webhooks", "runs", "baselines", "trusts", "case_results"] as const;
  const rows: unknown[] = [];
  for (const table of tables) {
    rows.push(await opened.database.selectFrom(table).selectAll().where("project_id", "=", projectId).execute());
  }
  const { database } = opened;
  rows.push(await database.selectFrom("deliveries").selectAll().where("org_id", "=", orgId).orderBy("id").execute());
  const tokens = database.selectFrom("tokens").select(["id", "revoked_ms"]).where("org_id", "=", orgId);
  rows.push(await tokens.where("name", "in", ["ci", "job"]).orderBy("id").execute());
  return JSON.stringify(rows);
}

describe("every route", () => {
  const guarded = routes.filter(({ scope }) => scope !== null);

  it("that the server answers is in a list that these tests go through, and few are open to anyone", async () => {
    const { app } = await startTestServer();
    const answered = new Set(app.routes.map(({ method, path }) => `${method} ${path}`));
    expect([...answered].toSorted()).toEqual(
      [
        "ALL /*",
        "GET /api/v1/openapi.json",
        "GET /assets/:file",
        "GET /badge/:file{.+\\.svg}",
        ...routes.map(({ method, path }) => `${method.toUpperCase()} /api/v1${honoPath(path)}`),
        ...pages.map(({ path }) => `GET ${honoPath(path)}`),
        ...actions.map(({ path }) => `POST ${honoPath(path)}`),
      ].toSorted(),
    );
    const open = routes.filter(({ scope }) => scope === null).map(nameOf);
    expect(open.toSorted()).toEqual([
      "post /auth/approve",
      "post /auth/device",
      "post /auth/oidc",
      "post /auth/setup",
      "post /auth/token",
    ]);
    const own = routes.filter(({ scope }) => scope === "any").map(nameOf);
    expect(own.toSorted()).toEqual(["delete /tokens/{token}", "get /me"]);
  });

  it("does not find what belongs to another organization or project, and leaves it as it is", async () => {
    const [server, other] = [await startTestServer(), await startTestServer()];
    const values = await makeOneOfEach(server);
    const before = await rowsOf(server);
    await server.send("/projects", { method: "POST", body: { name: "second" } });
    const { id: second } = await server.opened.database
      .selectFrom("projects")
      .select("id")
      .where("org_id", "=", server.orgId)
      .where("name", "=", "second")
      .executeTakeFirstOrThrow();
    const callers = [
      { project: "shop", token: other.token },
      { project: "second", token: await server.tokenFor(scopes, [second]) },
    ];
    const asked = guarded.filter(({ path }) => namesIn(path).some((name) => name !== "project"));
    expect(asked.length).toBeGreaterThan(12);
    for (const route of asked) {
      for (const name of namesIn(route.path))
        if (name !== "project") expect(values, nameOf(route)).toHaveProperty(name);
      for (const { project, token } of callers) {
        if (!route.path.includes("{project}") && project === "second") continue;
        const options = { ...bodyFor(route, values["run"] ?? ""), token };
        const { status, text } = await server.send(fill(route.path, { ...values, project }), options);
        const isRead = nameOf(route) === "get /projects/{project}/baselines/{suite}";
        // An empty body is no run, whoever has one of this ID.
        const expected = nameOf(route) === "put /projects/{project}/runs/{run}" ? 422 : 404;
        expect(status, `${nameOf(route)} as ${project}: ${text}`).toBe(expected);
        expect(isRead && text.includes("greets")).toBe(false);
      }
    }
    expect(await rowsOf(server)).toBe(before);
  });

  it("takes statements, paths and control characters in its names and its query for names of nothing", async () => {
    const server = await startTestServer();
    const values = await makeOneOfEach(server);
    const before = await rowsOf(server);
    const statement = "'; drop table runs; --";
    const hostile = ["1 or 1=1", "../../shop", "\u202E\r\n", "%", "__proto__", "a\u0000b"];
    let turn = 0;
    // Each place gets the statement and one of the others, the next place the next one: all of them would take seconds.
    const two = (): string[] => [statement, hostile[(turn += 1) % hostile.length] ?? ""].map(encodeURIComponent);
    for (const route of guarded) {
      const own: Record<string, string> = { project: "shop", ...values };
      const keys = route.method === "get" ? keysOf(route) : [];
      const addresses = [
        ...namesIn(route.path).flatMap((name) => two().map((text) => fill(route.path, { ...own, [name]: text }))),
        ...keys.flatMap(({ name }) => {
          const others = keys.filter((key) => key.name !== name);
          const needed = others.filter(({ isRequired }) => isRequired);
          const rest = needed.map((key) => `&${key.name}=${own[key.name] ?? own["run"] ?? ""}`).join("");
          const choices = others.flatMap((key) => key.choices.map((choice) => `&${key.name}=${String(choice)}`));
          const texts = [...two(), ...choices.map((choice) => encodeURIComponent(statement) + choice)];
          return texts.map((text) => `${fill(route.path, own)}?${name}=${text}${rest}`);
        }),
      ];
      for (const address of addresses) {
        server.clock.now += 1_000;
        const { status } = await server.send(address, bodyFor(route, "unknown"));
        const expected = address.includes("?") ? [200, 404, 422] : [404, 422];
        expect(expected, `${nameOf(route)} ${address} ${status}`).toContain(status);
      }
    }
    expect(await rowsOf(server)).toBe(before);
    expect(server.logs).toEqual([]);
  });

  it("answers under the names of the server only, to no cookie, and to no token that expired or was revoked", async () => {
    const server = await startTestServer();
    for (const { method, path } of server.app.routes) {
      if (method === "ALL") continue;
      const asked = { method, headers: { authorization: `Bearer ${server.token}` } };
      const { status } = await server.app.request(`http://evil.example:4310${path}`, asked);
      expect(status, `${method} ${path}`).toBe(403);
    }
    const { orgId, clock } = server;
    const made = { orgId, userId: null, name: "t", scopes, projects: null, nowMs: clock.now } as const;
    const { token: expired } = await createToken(server.opened.database, { ...made, forMs: 0 });
    const revoked = await server.tokenFor(scopes);
    await server.send("/tokens/self", { method: "DELETE", token: revoked });
    for (const route of guarded) {
      for (const token of [null, expired, revoked, server.token.toUpperCase()]) {
        const options = { ...bodyFor(route, "x"), token, headers: { cookie: `kindlm=${server.token}` } };
        clock.now += 10_000;
        expect((await server.send(fill(route.path, {}), options)).status, `${nameOf(route)} ${token}`).toBe(401);
      }
    }
  });
});

it("gives a token that covers one project no token for another", async () => {
  const server = await startTestServer();
  await server.send("/projects", { method: "POST", body: { name: "second" } });
  const token = await server.tokenFor(scopes, [server.projectId]);
  const ask = (projects: readonly string[] | null) =>
    server.send("/tokens", { method: "POST", body: { name: "x", scopes: ["runs:read"], projects }, token });
  expect(await ask(["second"])).toMatchObject({ status: 404, json: { error: "not_found" } });
  expect(await ask(["shop", "second"])).toMatchObject({ status: 404 });
  for (const projects of [["shop"], null]) {
    const made = await ask(projects);
    expect(made.status).toBe(201);
    const me = await server.send("/me", { token: String(made.json["token"]) });
    expect(me.json).toMatchObject({ projects: ["shop"] });
  }
});

it("shows a token that covers one project no other tokens, people or actions, and lets it revoke none of them", async () => {
  const server = await startTestServer();
  await server.send("/projects", { method: "POST", body: { name: "canary-second" } });
  const make = async (name: string, projects: readonly string[] | null): Promise<string> => {
    const body = { name, scopes: ["runs:read"], projects };
    return String((await server.send("/tokens", { method: "POST", body })).json["id"]);
  };
  const ids = [
    await make("own", ["shop"]),
    await make("canary-all", null),
    await make("canary-other", ["canary-second"]),
    await make("canary-both", ["shop", "canary-second"]),
  ];
  const token = await server.tokenFor(scopes, [server.projectId]);
  const listed = await server.send("/tokens", { token });
  expect((listed.json["items"] as { name: string }[]).map(({ name }) => name).toSorted()).toEqual(["own", "t"]);
  expect(await server.send("/audit", { token })).toMatchObject({
    status: 403,
    json: { error: "forbidden", details: { required_scope: "org:admin" } },
  });
  for (const { path, method } of routes.filter((route) => route.method === "get" && !route.path.includes("{"))) {
    const { text } = await server.send(path, { method: method.toUpperCase(), token });
    expect(text, path).not.toContain("canary");
  }
  const statuses: number[] = [];
  for (const id of ids) statuses.push((await server.send(`/tokens/${id}`, { method: "DELETE", token })).status);
  expect(statuses).toEqual([200, 404, 404, 404]);
  expect((await server.send("/tokens/self", { method: "DELETE", token })).status).toBe(200);
  const left = (await server.send("/tokens")).text.match(/canary-\w+/g);
  expect(left?.toSorted()).toEqual(["canary-all", "canary-both", "canary-other"]);
});

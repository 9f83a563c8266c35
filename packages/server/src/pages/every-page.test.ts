import { describe, expect, it } from "vitest";
import { sampleUpload } from "../__fixtures__/sample-upload.js";
import { startTestServer, type TestServer } from "../__fixtures__/test-server.js";
import { signedIn, Visitor } from "../__fixtures__/visitor.js";
import { createToken } from "../auth/tokens.js";
import { scopesOf, roles } from "../auth/roles.js";
import { actions, pages } from "./registry.js";

const hostile = `"><img src=x onerror=alert(1)><script>alert(2)</script>'\u202E javascript:alert(3)`;
const escaped = "&lt;img src=x onerror=alert(1)&gt;";

const fill = (path: string, values: Readonly<Record<string, string>> = {}): string =>
  path.replaceAll(/\{(\w+)\}/g, (_found, name: string) => values[name] ?? "shop");

/** A suite, its cases, a branch, a commit, tokens, webhooks, people and the organization itself are all called that. */
async function nameEverything(server: TestServer): Promise<void> {
  const { database } = server.opened;
  for (const [run, passes] of [
    ["r1", 0],
    ["r2", 1],
  ] as const) {
    const upload = sampleUpload({ run, branch: hostile, cases: [{ name: hostile, passes }, { name: "b" }] });
    const suites = upload.run.suites.map((suite) => ({ ...suite, name: hostile }));
    const cases = upload.cases.map((one) => ({ ...one, suite: hostile, model: hostile, tags: [hostile] }));
    const body = { run: { ...upload.run, suites, commit: hostile, project: hostile }, cases };
    const sent = await server.send(`/projects/shop/runs/${run}`, { method: "PUT", body });
    if (sent.status !== 201) throw new Error(sent.text);
  }
  const suite = `/projects/shop/baselines/${encodeURIComponent(hostile)}`;
  expect((await server.send(suite, { method: "PUT", body: { run: "r1" } })).status).toBe(201);
  const url = `https://h.example.com/?${hostile}`;
  await server.send("/projects/shop/webhooks", { method: "POST", body: { url, events: ["run.completed"] } });
  await server.send("/projects/shop/runs/r3", { method: "PUT", body: sampleUpload({ run: "r3", branch: hostile }) });
  await server.send("/tokens", { method: "POST", body: { name: hostile.slice(0, 100), scopes: ["runs:read"] } });
  await database
    .updateTable("orgs")
    .set({ name: hostile.replace("=x", "=y") })
    .where("id", "=", server.orgId)
    .execute();
  await database.updateTable("deliveries").set({ problem: hostile }).where("org_id", "=", server.orgId).execute();
}

it("shows every hostile name as text, also one that is only in its address", async () => {
  const server = await startTestServer();
  await nameEverything(server);
  const owner = await signedIn(server, "owner");
  const email = `${hostile.replace("=x", "=y")}${owner.userId}@example.com`;
  await server.opened.database.updateTable("users").set({ email }).where("id", "=", owner.userId).execute();
  const name = encodeURIComponent(hostile);
  const keys = ["branch", "suite", "case", "before", "after", "days", "by", "code", "to", "state", "iss", "error"];
  const whole = keys.map((key) => `${key}=${name}`).join("&");
  const queries: Readonly<Record<string, readonly string[]>> = {
    "/p/{project}/trends": [`suite=${name}&branch=${name}`, `case=${encodeURIComponent(`refunds/${hostile}@gpt`)}`],
    "/p/{project}/compare": ["before=r1&after=r2", `by=branch&before=${name}&after=${name}`, `before=${name}&after=r1`],
  };
  const shown = new Set<string>();
  const anyone = new Visitor(server);
  for (const { path, needs } of pages) {
    const named = [{ run: "r1", key: "1" }, ...(path.includes("{run}") ? [{ run: name, key: name }] : [])];
    for (const query of [whole, ...(queries[path] ?? [""])]) {
      for (const values of named) {
        server.clock.now += 2_000;
        const { html, status, headers } = await (needs === null ? anyone : owner).get(`${fill(path, values)}?${query}`);
        const where = `${path}?${query}`;
        expect(status, `${where}: ${JSON.stringify(server.logs)}`).toBeLessThan(500);
        if (headers.get("content-type") === "application/json") continue;
        expect(html, where).not.toMatch(/<img|<script>|<script[^>]*>[^<]/);
        expect(html, where).not.toMatch(/(?:href|src|action)="?\s*javascript/i);
        if (html.includes(escaped)) shown.add(path);
      }
    }
  }
  const results = ["runs/{run}", "trends", "flaky", "compare", "settings"].map((page) => `/p/{project}/${page}`);
  expect([...shown]).toEqual(["/", "/p/{project}", ...results, "/tokens", "/audit", "/device"]);
});

describe("every form", () => {
  it("comes from a page of the server, from who may send it, with the token of the page", async () => {
    const server = await startTestServer();
    const [owner, anyone] = [await signedIn(server, "owner"), new Visitor(server)];
    const visitors = [];
    for (const role of roles) visitors.push({ role, visitor: await signedIn(server, role) });
    await owner.get("/");
    await anyone.get("/login");
    for (const { visitor } of visitors) await visitor.get("/");
    for (const { path, needs } of actions) {
      const to = fill(path);
      for (const [reason, from, fields, headers] of [
        ["other site", owner, {}, { origin: "https://evil.example" }],
        ["no origin", owner, {}, { origin: "null" }],
        ["no token", owner, { csrf: "" }, {}],
        ["token of another", owner, { csrf: visitors[0]?.visitor.csrf ?? "" }, {}],
      ] as const) {
        server.clock.now += 10_000;
        expect((await from.post(to, { ...fields }, headers)).status, `${path}, ${reason}`).toBe(403);
      }
      if (needs === null) continue;
      expect(await anyone.post(to, {}), path).toMatchObject({ status: 303, to: "/login" });
      for (const { role, visitor } of visitors) {
        if (needs === "any" || scopesOf(role).includes(needs)) continue;
        expect((await visitor.post(to, {})).status, `${path} as ${role}`).toBe(403);
      }
    }
    const open = (list: readonly { path: string; needs: unknown }[]) =>
      list.filter(({ needs }) => needs === null).map(({ path }) => path);
    expect(open(actions)).toEqual(["/login", "/join", "/setup"]);
    expect(open(pages)).toEqual(["/login", "/login/oidc", "/login/oidc/callback", "/join", "/setup"]);
  });

  it("changes nothing of another organization", async () => {
    const [server, other] = [await startTestServer(), await startTestServer()];
    const { database } = server.opened;
    const [owner, member] = [await signedIn(server, "owner"), await signedIn(server, "member")];
    await owner.get("/people");
    await owner.post("/people", { email: `new.${owner.userId.toLowerCase()}@example.com`, role: "member" });
    await nameEverything(server);
    const { orgId, projectId, clock } = server;
    const made = { orgId, userId: member.userId, name: "t", scopes: ["runs:read"], projects: null } as const;
    const { id: token } = await createToken(database, { ...made, nowMs: clock.now });
    const own = async (): Promise<string> => {
      const tables = ["memberships", "invitations", "tokens", "webhooks", "deliveries", "sessions"] as const;
      const rows: unknown[] = [];
      for (const table of tables) {
        rows.push(await database.selectFrom(table).selectAll().where("org_id", "=", orgId).execute());
      }
      rows.push(await database.selectFrom("projects").selectAll().where("id", "=", projectId).execute());
      return JSON.stringify(rows);
    };
    const idOf = async (table: "webhooks" | "deliveries" | "invitations"): Promise<string> => {
      const found = database.selectFrom(table).select("id").where("org_id", "=", orgId);
      return String((await found.executeTakeFirstOrThrow()).id);
    };
    const stranger = await signedIn(other, "owner");
    await stranger.get("/");
    const [webhook, delivery, invitation] = [
      await idOf("webhooks"),
      await idOf("deliveries"),
      await idOf("invitations"),
    ];
    const before = await own();
    const found: string[] = [];
    for (const { path } of actions.filter((one) => !["/", "/sign-out"].includes(one.path) && one.needs !== null)) {
      for (const id of [member.userId, invitation]) {
        const fields = {
          id,
          role: "viewer",
          token,
          webhook,
          delivery,
          "projects[]": [projectId],
          name: "x",
          days: "1",
        };
        const answer = await stranger.post(fill(path), { ...fields, "scopes[]": ["runs:read"] });
        expect(answer.status, path).toBeLessThan(500);
        expect(answer.html).not.toContain(member.email);
        if (answer.status === 404) found.push(path);
      }
    }
    expect(await own()).toBe(before);
    expect(found).toEqual(
      expect.arrayContaining([
        "/people/withdraw",
        "/people/role",
        "/people/reset",
        "/people/remove",
        "/tokens/revoke",
        "/p/{project}/settings/webhooks/remove",
        "/p/{project}/settings/webhooks/redeliver",
      ]),
    );
  });
});

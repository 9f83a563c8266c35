import { describe, expect, it } from "vitest";
import { sampleUpload } from "../__fixtures__/sample-upload.js";
import { startTestServer, type TestServer } from "../__fixtures__/test-server.js";
import { signedIn, Visitor } from "../__fixtures__/visitor.js";
import { createSecret } from "../auth/secrets.js";

const password = "correct horse battery";
const linkIn = (html: string): string => /#(kli_[\w-]{43})/.exec(html)?.[1] ?? "";
const tokenIn = (html: string): string => /klm_[\w-]{43}/.exec(html)?.[0] ?? "";

describe("people", () => {
  it("enter with a link that works once, in the role that it names, and set a new password with another", async () => {
    const server = await startTestServer();
    const owner = await signedIn(server, "owner");
    const email = `bob.${owner.userId.toLowerCase()}@example.com`;
    await owner.get("/people");
    expect((await owner.post("/people", { email: "nobody", role: "member" })).html).toContain(
      "This is not an email address",
    );
    const invited = await owner.post("/people", { email: email.toUpperCase(), role: "member" });
    expect(invited.status).toBe(201);
    const secret = linkIn(invited.html);
    expect((await owner.get("/people")).html).toContain(email);
    const bob = new Visitor(server);
    await bob.get("/join");
    expect((await bob.post("/join", { secret, password: "too short" })).status).toBe(422);
    expect(await bob.post("/join", { secret, password })).toMatchObject({ status: 303, to: "/" });
    expect((await bob.get("/")).status).toBe(200);
    expect((await bob.get("/people")).status).toBe(403);
    const other = new Visitor(server);
    await other.get("/join");
    const again = await other.post("/join", { secret, password });
    expect(again).toMatchObject({ status: 401 });
    expect(again.html).toContain("The invitation was used or withdrawn, or it expired");

    const { id } = await server.opened.database
      .selectFrom("users")
      .select("id")
      .where("email", "=", email)
      .executeTakeFirstOrThrow();
    const reset = await owner.post("/people/reset", { id });
    await other.post("/join", { secret: linkIn(reset.html), password: "another long password" });
    expect((await bob.get("/")).status, "what was open before is closed").toBe(303);
    await bob.get("/login");
    expect(await bob.post("/login", { email, password })).toMatchObject({ status: 401 });
    expect(await bob.post("/login", { email, password: "another long password" })).toMatchObject({ status: 303 });
    expect((await bob.get("/people")).status).toBe(403);
  });

  it("do not outrank owners, of whom one stays", async () => {
    const server = await startTestServer();
    const [owner, admin, member] = [
      await signedIn(server, "owner"),
      await signedIn(server, "admin"),
      await signedIn(server, "member"),
    ];
    for (const visitor of [owner, admin]) await visitor.get("/people");
    const refused = [
      admin.post("/people/remove", { id: owner.userId }),
      admin.post("/people/role", { id: owner.userId, role: "viewer" }),
      admin.post("/people/role", { id: admin.userId, role: "owner" }),
      admin.post("/people/reset", { id: owner.userId }),
      admin.post("/people", { email: "mallory@example.com", role: "owner" }),
      admin.post("/people", { email: owner.email, role: "viewer" }),
    ];
    for (const answer of refused) expect((await answer).status).toBe(403);
    for (const answer of [
      await owner.post("/people/remove", { id: owner.userId }),
      await owner.post("/people/role", { id: owner.userId, role: "admin" }),
    ]) {
      expect(answer.status).toBe(409);
      expect(answer.html).toContain("The organization needs an owner");
    }
    expect(await owner.post("/people/role", { id: member.userId, role: "owner" })).toMatchObject({ status: 303 });
    expect(await owner.post("/people/remove", { id: owner.userId })).toMatchObject({ status: 303 });
    expect((await owner.get("/people")).status).toBe(303);
  });

  it("lose their tokens with their role", async () => {
    const server = await startTestServer();
    const [owner, member] = [await signedIn(server, "owner"), await signedIn(server, "member")];
    const token = await logIn(server, member, "approved");
    const refused = "access_denied";
    expect((await server.send("/me", { token })).json).toMatchObject({
      scopes: expect.arrayContaining(["runs:write"]) as unknown,
    });
    expect(await logIn(server, member, "denied")).toBe(refused);
    await owner.get("/people");
    await owner.post("/people/role", { id: member.userId, role: "viewer" });
    expect((await server.send("/me", { token })).status).toBe(401);
    const viewing = await logIn(server, member, "approved");
    expect((await server.send("/me", { token: viewing })).json).toMatchObject({ scopes: ["runs:read"] });
    await owner.post("/people/remove", { id: member.userId });
    expect((await server.send("/me", { token: viewing })).status).toBe(401);
  });
});

/** What `kindlm login` gets, once the person decided. */
async function logIn(server: TestServer, visitor: Visitor, decision: string): Promise<string> {
  const { json } = await server.send("/auth/device", { method: "POST", token: null });
  const code = String(json["user_code"]);
  const page = await visitor.get(`/device?code=${code.toLowerCase().replace("-", "")}`);
  expect(page.html).toContain(code);
  expect(await visitor.post("/device", { code, decision })).toMatchObject({ status: 200 });
  const body = { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: json["device_code"] };
  const answer = await server.send("/auth/token", { method: "POST", token: null, body });
  return String(answer.json["access_token"] ?? answer.json["error"]);
}

it("sets the server up by the secret of its link, once", async () => {
  const server = await startTestServer();
  const { database } = server.opened;
  const { secret, hash } = createSecret("kls_");
  await database
    .insertInto("setup_links")
    .values({ hash, expires_ms: server.clock.now + 1, used_ms: null })
    .execute();
  const ada = new Visitor(server);
  await ada.get("/login");
  const form = { organization: "Beta", email: `ada.${hash.slice(0, 8)}@example.com`, password };
  expect((await ada.post("/setup", { ...form, secret: `${secret}x` })).status).toBeGreaterThanOrEqual(300);
  expect(await ada.post("/setup", { ...form, secret })).toMatchObject({ status: 303, to: "/" });
  expect((await ada.get("/people")).html).toContain(form.email);
  expect((await ada.get("/audit")).html).toContain("org.create");
});

describe("projects and tokens", () => {
  it("are made and changed in pages, and belong to the organization", async () => {
    const [server, other] = [await startTestServer(), await startTestServer()];
    const [owner, stranger] = [await signedIn(server, "owner"), await signedIn(other, "owner")];
    await owner.get("/");
    expect((await owner.post("/", { name: "../etc" })).html).toContain("A name has letters");
    expect(await owner.post("/", { name: "bot" })).toMatchObject({ status: 303, to: "/p/bot" });
    expect(await owner.post("/", { name: "bot" })).toMatchObject({ status: 409 });
    const empty = await owner.get("/p/bot");
    expect(empty.html).toContain("kindlm login --server http://127.0.0.1:4310\nkindlm test --upload");
    const days = { transcript_days: "7", case_days: "60", run_days: "90" };
    const changed = { ...days, "accepts[]": ["transcripts"] };
    expect(await owner.post("/p/bot/settings", changed)).toMatchObject({ status: 303 });
    expect((await owner.post("/p/bot/settings", { ...days, run_days: "0" })).html).toContain("Keep at least 1 day");
    expect((await owner.get("/p/bot/settings")).html).toMatch(
      /value="transcripts" checked=""[^]*value="7"[^]*value="60"/,
    );

    const made = await owner.post("/tokens", {
      name: "<b>CI",
      days: "5",
      "scopes[]": ["runs:write"],
      "projects[]": ["bot"],
    });
    const token = tokenIn(made.html);
    expect((await server.send("/me", { token })).json).toMatchObject({ scopes: ["runs:write"], projects: ["bot"] });
    const list = await owner.get("/tokens");
    expect(list.html).not.toContain(token);
    expect(list.html).toContain("&lt;b&gt;CI");
    const { id } = await server.opened.database
      .selectFrom("tokens")
      .select("id")
      .where("org_id", "=", server.orgId)
      .where("name", "=", "<b>CI")
      .executeTakeFirstOrThrow();
    expect(await stranger.get("/tokens")).toMatchObject({ status: 200 });
    expect(await stranger.post("/tokens/revoke", { token: id })).toMatchObject({ status: 404 });
    expect(await owner.post("/tokens/revoke", { token: id })).toMatchObject({ status: 303 });
    expect((await server.send("/me", { token })).status).toBe(401);
    expect((await stranger.get("/p/bot")).status).toBe(404);
    expect((await stranger.post("/p/bot/settings", changed)).status).toBe(404);
    expect((await stranger.post("/people/remove", { id: owner.userId })).status).toBe(404);
  });

  it("list runs a page at a time, by branch, with whatever a name holds as text", async () => {
    const server = await startTestServer();
    const owner = await signedIn(server, "viewer");
    const branch = `<img src=x onerror="alert(1)">`;
    for (let index = 0; index < 3; index += 1) {
      const upload = sampleUpload({ run: `run-${index}`, branch: index === 1 ? branch : "main" });
      await server.send(`/projects/shop/runs/run-${index}`, { method: "PUT", body: upload });
    }
    const all = await owner.get("/p/shop");
    expect(all.html).toContain("&lt;img src=x");
    expect(all.html).not.toContain("<img");
    expect(all.html.match(/href="\/p\/shop\/runs\/run-\d"/g)).toHaveLength(3);
    const some = await owner.get(`/p/shop?${new URLSearchParams({ branch }).toString()}`);
    expect(some.html.match(/href="\/p\/shop\/runs\/run-\d"/g)).toEqual(['href="/p/shop/runs/run-1"']);
    expect(some.html).toContain("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;");
  });
});

it("has a badge once there is a key, and for as long as it is not replaced", async () => {
  const server = await startTestServer();
  const owner = await signedIn(server, "owner");
  const anyone = new Visitor(server);
  await owner.get("/p/shop/settings");
  await owner.post("/p/shop/settings/badge", { action: "make" });
  const key = /\/badge\/(bdg_[\w-]+)\.svg/.exec((await owner.get("/p/shop/settings")).html)?.[1] ?? "";
  expect((await anyone.get(`/badge/${key}.svg`)).html).toContain("shop: no runs");
  await server.send("/projects/shop/runs/one", { method: "PUT", body: sampleUpload({ run: "one", branch: "main" }) });
  const shown = await anyone.get(`/badge/${key}.svg?branch=main`);
  expect(shown.html).toContain("shop: passed 100%");
  expect(shown.html).not.toContain("<script");
  expect(shown.headers.get("content-type")).toBe("image/svg+xml");
  expect(shown.headers.get("cache-control")).toBe("public, max-age=60");
  expect(shown.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
  expect((await anyone.get(`/badge/${key}.svg?branch=other`)).html).toContain("no runs");
  await owner.post("/p/shop/settings/badge", { action: "make" });
  expect((await anyone.get(`/badge/${key}.svg`)).status).toBe(404);
});

describe("webhooks of a project", () => {
  const settings = "/p/shop/settings";
  const hooks = `${settings}/webhooks`;

  it("are for administrators, who see the secret once, and what became of each delivery", async () => {
    const [server, other] = [await startTestServer(), await startTestServer()];
    const [admin, member] = [await signedIn(server, "admin"), await signedIn(server, "member")];
    const stranger = await signedIn(other, "owner");
    for (const visitor of [admin, member, stranger]) await visitor.get("/");
    const url = `https://hooks.example.com/?<img src=x onerror="alert(1)">`;
    const form = { url, "events[]": ["run.completed", "case.flaky"] };
    for (const path of [hooks, `${hooks}/remove`, `${hooks}/redeliver`])
      expect((await member.post(path, form)).status, path).toBe(403);
    const refused = await admin.post(hooks, { url: "https://127.0.0.1/", "events[]": ["run.failed"] });
    expect(refused.status).toBe(422);
    expect(refused.html).toMatch(/Add a webhook<\/h3><p class="problem" role="alert">The address is not a public one/);
    expect(refused.html.match(/role="alert"/g), "next to its own form only").toHaveLength(1);
    expect(refused.html).toMatch(/value="run\.failed" checked=""/);
    expect((await admin.post(hooks, { url })).html).toContain("Choose at least one event");
    expect((await admin.post(hooks, { ...form, url: "javascript:alert(1)" })).status).toBe(422);

    const made = await admin.post(hooks, form);
    const secret = /whsec_[\w+/]{43}=/.exec(made.html)?.[0] ?? "none";
    expect(made).toMatchObject({ status: 201 });
    await server.send("/projects/shop/runs/one", { method: "PUT", body: sampleUpload({ run: "one" }) });
    const shown = (await admin.get(settings)).html;
    expect(shown).not.toContain(secret);
    expect(shown).not.toContain("<img");
    expect(shown).toContain("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;");
    expect(shown.match(/>waiting</g), "of the webhook, and in the list").toHaveLength(2);
    expect(shown).not.toContain("Send again");
    const { database } = server.opened;
    const failed = { tries: 5, next_ms: null, problem: "No answer" };
    await database.updateTable("deliveries").set(failed).where("org_id", "=", server.orgId).execute();
    const { html } = await admin.get(settings);
    expect(html).toMatch(/>failed<\/span><span class="meta note">No answer/);
    const one = /"webhook" value="(whk_[\w-]+)"\/?><input type="hidden" name="delivery" value="(\d+)"/.exec(html);
    const of = { webhook: one?.[1] ?? "", delivery: one?.[2] ?? "" };
    expect(await admin.post(`${hooks}/redeliver`, { ...of, delivery: "0" })).toMatchObject({ status: 404 });
    for (const path of [`${hooks}/redeliver`, `${hooks}/remove`])
      expect(await stranger.post(path, of), path).toMatchObject({ status: 404 });
    expect(await admin.post(`${hooks}/redeliver`, of)).toMatchObject({ status: 303, to: settings });
    expect((await admin.get(settings)).html.match(/>waiting</g)).toHaveLength(2);
    expect(await admin.post(`${hooks}/remove`, of)).toMatchObject({ status: 303, to: settings });
    expect((await admin.get(settings)).html).not.toContain("hooks.example.com");
    expect((await admin.get("/audit")).html).toMatch(/webhook\.delete[^]*webhook\.redeliver[^]*webhook\.create/);
  });
});

import { describe, expect, it } from "vitest";
import { sampleUpload } from "../__fixtures__/sample-upload.js";
import { startTestServer } from "../__fixtures__/test-server.js";
import { signedIn, Visitor } from "../__fixtures__/visitor.js";
import { ownOrigins } from "../api/own-origins.js";
import { createId, hashPassword } from "../auth/secrets.js";
import { pages } from "./registry.js";

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
  "base-uri 'none'; frame-ancestors 'none'";
const pathOf = (path: string): string => path.replace("{project}", "shop");

describe("every page", () => {
  it("has the headers that keep other sites out, whoever asks", async () => {
    const server = await startTestServer();
    for (const visitor of [new Visitor(server), await signedIn(server, "owner"), await signedIn(server, "viewer")]) {
      for (const path of [...pages.map((page) => pathOf(page.path)), "/nowhere"]) {
        const { headers, status } = await visitor.get(path);
        expect(status, path).toBeLessThan(500);
        expect(Object.fromEntries(headers), path).toMatchObject({
          "content-security-policy": policy,
          "x-content-type-options": "nosniff",
          "referrer-policy": "same-origin",
          "cache-control": "no-store",
        });
        expect(headers.has("access-control-allow-origin"), path).toBe(false);
      }
    }
  });

  it("asks who it is, and shows what the role allows", async () => {
    const server = await startTestServer();
    const anyone = new Visitor(server);
    const viewer = await signedIn(server, "viewer");
    const allowed = new Set<string | null>(["any", "runs:read"]);
    for (const { path, needs } of pages) {
      if (needs === null || pathOf(path).includes("{")) continue;
      const to = path === "/" ? "/login" : `/login?to=${encodeURIComponent(pathOf(path))}`;
      expect(await anyone.get(pathOf(path)), path).toMatchObject({ status: 303, to });
      expect((await viewer.get(pathOf(path))).status, path).toBe(allowed.has(needs) ? 200 : 403);
    }
  });
});

describe("signing in", () => {
  it("takes email and password, and leads to the page that was asked for", async () => {
    const server = await startTestServer();
    const { database } = server.opened;
    const userId = createId("usr");
    const email = `ada.${userId.toLowerCase()}@example.com`;
    const password = await hashPassword("correct horse battery");
    await database.insertInto("users").values({ id: userId, email, password, created_ms: 0 }).execute();
    await database.insertInto("memberships").values({ org_id: server.orgId, user_id: userId, role: "owner" }).execute();
    const ada = new Visitor(server);
    const { headers } = await ada.get("/login?to=/p/shop");
    expect(headers.get("set-cookie")).toMatch(
      /^kindlm_form=klf_[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    const wrong = await ada.post("/login", { email, password: "something else" });
    expect(wrong).toMatchObject({ status: 401 });
    expect(wrong.html).toContain("Wrong email or password");
    expect(wrong.html).not.toContain("something else");
    const right = { email: email.toUpperCase(), password: "correct horse battery" };
    expect(await ada.post("/login", { ...right, to: "//evil.example" })).toMatchObject({ status: 303, to: "/" });
    expect(await ada.get("/login")).toMatchObject({ status: 303, to: "/" });
    const home = await ada.get("/");
    expect(home.html).toContain(email);
    expect(await ada.post("/sign-out", {})).toMatchObject({ status: 303, to: "/login" });
    expect(await ada.get("/")).toMatchObject({ status: 303 });
  });

  it("lasts 12 hours, and ends with the membership", async () => {
    const server = await startTestServer();
    const [ada, bob] = [await signedIn(server, "member"), await signedIn(server, "member")];
    await server.opened.database.deleteFrom("memberships").where("user_id", "=", bob.userId).execute();
    expect((await bob.get("/")).status).toBe(303);
    server.clock.now += 12 * 3_600_000 - 1;
    expect((await ada.get("/")).status).toBe(200);
    server.clock.now += 1;
    expect((await ada.get("/")).status).toBe(303);
  });
});

describe("forms", () => {
  it("come from a page of the server, with its token", async () => {
    const server = await startTestServer();
    const ada = await signedIn(server, "owner");
    await ada.get("/");
    const { csrf } = ada;
    const refused = [
      ada.post("/sign-out", {}, { origin: "https://evil.example" }),
      ada.post("/sign-out", {}, { origin: "null" }),
      ada.post("/sign-out", {}, { origin: "http://127.0.0.1:4311", "sec-fetch-site": "same-site" }),
      ada.post("/sign-out", { csrf: "" }),
      ada.post("/sign-out", { csrf: csrf.replace(/^./, (first) => (first === "a" ? "b" : "a")) }),
    ];
    for (const answer of refused) expect((await answer).status).toBe(403);
    const mallory = await signedIn(server, "viewer");
    expect((await mallory.post("/sign-out", { csrf })).status).toBe(403);
    expect((await ada.get("/")).status).toBe(200);
    expect(await ada.post("/sign-out", { csrf }, { origin: "http://localhost:4310" })).toMatchObject({ to: "/login" });
  });
});

it("answers under its own names only", async () => {
  const server = await startTestServer();
  const ada = await signedIn(server, "owner");
  for (const host of ["127.0.0.1:4310", "localhost:4310", "[::1]:4310"]) {
    expect((await ada.get(`http://${host}/`)).status, host).toBe(200);
  }
  for (const host of ["evil.example:4310", "127.0.0.1:4311", "localhost", "127.0.0.1.evil.example:4310"]) {
    for (const path of ["/", "/api/v1/me", "/assets/page.css"]) {
      const answer = await ada.get(`http://${host}${path}`, { authorization: `Bearer ${server.token}` });
      expect(answer.status, `${host}${path}`).toBe(403);
      expect(answer.html).not.toContain("Acme");
    }
  }
});

it("answers as localhost if it listens on every address", () => {
  const named = "https://results.example.com";
  const local = ["https://127.0.0.1:1", "https://localhost:1", "https://[::1]:1"];
  expect([...ownOrigins(named, "https://0.0.0.0:1")]).toEqual([named, ...local]);
  expect([...ownOrigins(named, "https://[::]:1")]).toEqual([named, ...local]);
  expect([...ownOrigins(named, "https://10.0.0.5:1")]).toEqual([named]);
});

it("serves assets for good, under names that change with them", async () => {
  const server = await startTestServer();
  const anyone = new Visitor(server);
  const { html } = await anyone.get("/login");
  const paths = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? "");
  expect(paths.map((path) => path.replace(/-[\da-f]{16}\./, "."))).toEqual([
    "/assets/icon.svg",
    "/assets/page.css",
    "/assets/page.js",
  ]);
  for (const path of paths) {
    const { status, headers } = await anyone.get(path);
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  }
  expect((await anyone.get("/assets/page.css")).status).toBe(404);
});

it("loads little script, and the viewer of reports with the page of a run only", async () => {
  const server = await startTestServer();
  await server.send("/projects/shop/runs/run-1", { method: "PUT", body: sampleUpload({ run: "run-1" }) });
  const owner = await signedIn(server, "owner");
  const sizes = new Map<string, number>();
  for (const { path } of pages) {
    const { html } = await owner.get(pathOf(path).replace("{run}", "run-1"));
    const scripts = [...html.matchAll(/<script[^>]* src="([^"]+)"/g)].map(([, source]) => source ?? "");
    for (const source of scripts) sizes.set(source, Buffer.byteLength((await owner.get(source)).html));
    const hasViewer = scripts.some((source) => source.startsWith("/assets/viewer-"));
    expect(hasViewer, path).toBe(path === "/p/{project}/runs/{run}");
  }
  const bytesOf = (isViewer: boolean): number =>
    [...sizes].reduce((sum, [path, size]) => (path.includes("viewer") === isViewer ? sum + size : sum), 0);
  expect([bytesOf(false), bytesOf(true)].map((bytes) => bytes > 0)).toEqual([true, true]);
  expect(bytesOf(false)).toBeLessThan(50_000);
  expect(bytesOf(true)).toBeLessThanOrEqual(60_000);
});

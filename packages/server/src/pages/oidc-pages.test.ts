import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { startTestIssuer } from "../__fixtures__/test-issuer.js";
import { startTestServer } from "../__fixtures__/test-server.js";
import { signedIn, Visitor } from "../__fixtures__/visitor.js";

it("lets people in whom a service knows by an email that was invited", async () => {
  const issuer = await startTestIssuer();
  const server = await startTestServer({ signInIssuer: issuer.url });
  const owner = await signedIn(server, "owner");
  const email = `bob.${owner.userId.toLowerCase()}@example.com`;
  const callback = "http://127.0.0.1:4310/login/oidc/callback";

  /** Goes to the service, which sends the browser back with these claims. */
  const enter = async (
    visitor: Visitor,
    claims: Record<string, unknown>,
    back: Record<string, string> = {},
    to = "",
  ) => {
    const start = await visitor.get(`/login/oidc${to}`);
    const asked = new URL(start.to ?? "").searchParams;
    expect(start.to).toMatch(`${issuer.url}/authorize?`);
    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: "code",
      client_id: "results",
      redirect_uri: callback,
      scope: "openid email",
      code_challenge_method: "S256",
    });
    const seconds = server.clock.now / 1_000;
    issuer.redeem = (form, authorization) => {
      const challenge = createHash("sha256")
        .update(form.get("code_verifier") ?? "")
        .digest("base64url");
      expect(authorization).toBe(`Basic ${Buffer.from("results:s3%3Acret").toString("base64")}`);
      expect(form.get("redirect_uri")).toBe(callback);
      if (form.get("code") !== "code-1" || challenge !== asked.get("code_challenge")) return null;
      const usual = { iss: issuer.url, aud: "results", exp: seconds + 300, sub: "1", nonce: asked.get("nonce") };
      return issuer.issue({ ...usual, email, email_verified: true, ...claims });
    };
    const query = new URLSearchParams({ code: "code-1", state: asked.get("state") ?? "", ...back });
    return visitor.get(`/login/oidc/callback?${query.toString()}`);
  };

  const bob = new Visitor(server);
  expect((await bob.get("/login")).html).toContain("Sign in with 127.0.0.1:");
  const uninvited = await enter(bob, {});
  expect(uninvited.status).toBe(403);
  expect(uninvited.html).toContain(`${email} is not invited`);
  await owner.get("/people");
  await owner.post("/people", { email, role: "viewer" });
  const stranger = new Visitor(server);
  await stranger.get("/login");
  const refused: readonly [string, Record<string, unknown>, Record<string, string>][] = [
    ["email that is not verified", { email_verified: false }, {}],
    ["email that is said to be verified as text", { email_verified: "true" }, {}],
    ["other nonce", { nonce: "other" }, {}],
    ["other audience", { aud: "someone" }, {}],
    ["other program", { azp: "someone" }, {}],
    ["expired", { exp: server.clock.now / 1_000 - 60 }, {}],
    ["other issuer", { iss: "https://evil.example" }, {}],
    ["other issuer of the answer", {}, { iss: "https://evil.example" }],
    ["other code", {}, { code: "code-2" }],
    ["invented state", {}, { state: "1~a~Lw.b" }],
    [
      "state of another browser",
      {},
      { state: new URL((await stranger.get("/login/oidc")).to ?? "").searchParams.get("state") ?? "" },
    ],
  ];
  for (const [name, claims, back] of refused) {
    // An address may send 30 requests a minute before somebody signs in.
    server.clock.now += 60_000;
    expect((await enter(bob, claims, back)).status, name).toBe(401);
    expect((await bob.get("/")).status, name).toBe(303);
  }
  expect(await enter(bob, { email: email.toUpperCase() })).toMatchObject({ status: 303, to: "/" });
  expect((await bob.get("/")).html).toContain(email);
  expect((await bob.get("/people")).status).toBe(403);
  server.clock.now += 60_000;
  const again = new Visitor(server);
  const asked = await again.get("/p/shop/trends?branch=a%20b");
  const link = /href="\/login\/oidc(\?[^"]+)"/.exec((await again.get(asked.to ?? "")).html)?.[1] ?? "";
  expect(await enter(again, {}, {}, link)).toMatchObject({ status: 303, to: "/p/shop/trends?branch=a%20b" });
  const elsewhere = await enter(new Visitor(server), {}, {}, "?to=//evil.example");
  expect(elsewhere).toMatchObject({ to: "/" });
  await again.get("/login");
  const other = new Visitor(server);
  await other.get("/login");
  expect((await other.post("/login", { email, password: "" })).status, "there is no password").toBe(401);
  issuer.isDown = true;
  server.clock.now += 2 * 3_600_000;
  expect((await other.get("/login/oidc")).status).toBe(503);
});

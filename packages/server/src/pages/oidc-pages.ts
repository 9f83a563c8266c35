import { notFound } from "../api/api-error.js";
import { finishOidcLogin, startOidcLogin, type OidcVisit } from "../auth/oidc-login.js";
import { signIn } from "../auth/sign-in.js";
import { enterByEmail } from "../management/invitations.js";
import { nextPath } from "./login-page.js";
import { definePage, type PageCall } from "./page.js";

const callback = "/login/oidc/callback";

function visitOf({ world, csrf }: PageCall): OidcVisit {
  const { signInService: client } = world;
  if (client === undefined) throw notFound("Page");
  return { client, key: csrf, redirectUri: `${world.origin()}${callback}`, nowMs: world.now() };
}

/** Leads to the service with which people sign in. A form could not: the policy keeps forms on this server. */
export const oidcStart = definePage({
  path: "/login/oidc",
  needs: null,
  async render(call) {
    return { to: call.person === null ? await startOidcLogin(visitOf(call), nextPath(call)) : nextPath(call) };
  },
});

/** Where the service sends people back. */
export const oidcCallback = definePage({
  path: callback,
  needs: null,
  async render(call) {
    const { email, to } = await finishOidcLogin(visitOf(call), call.query);
    const { world } = call;
    const member = await enterByEmail(world, email);
    return { to, signIn: await signIn(world.database, { ...member, nowMs: world.now() }) };
  },
});

import * as z from "zod";
import { findMember } from "../auth/check-password.js";
import { signIn } from "../auth/sign-in.js";
import { defineAction, definePage, type PageCall } from "./page.js";
import { Field, Problem } from "./parts/field.js";
import { PostForm } from "./parts/post-form.js";

/** The page that a person wanted to see: one of this server, or its first. */
export function nextPath({ query, sent }: PageCall): string {
  const to = typeof sent["to"] === "string" ? sent["to"] : (query["to"] ?? "/");
  return /^\/(?![/\\])[\x21-\x7e]*$/.test(to) ? to : "/";
}

export const login = definePage({
  path: "/login",
  needs: null,
  async render(call) {
    if (call.person !== null) return { to: nextPath(call) };
    const { csrf } = call;
    const service = call.world.signInService;
    const atService = `/login/oidc?${new URLSearchParams({ to: nextPath(call) }).toString()}`;
    const form = (
      <PostForm action="/login" csrf={csrf} class="card">
        <Problem call={call} />
        <Field call={call} label="Email" name="email" type="email" autocomplete="username" />
        <Field call={call} label="Password" name="password" type="password" autocomplete="current-password" />
        <button type="submit" class="primary">
          Sign in
        </button>
        <input type="hidden" name="to" value={nextPath(call)} />
      </PostForm>
    );
    const body = (
      <>
        {service === undefined ? null : (
          <p>
            <a class="button primary" href={atService}>{`Sign in with ${new URL(service.issuer.issuer).host}`}</a>
          </p>
        )}
        {form}
      </>
    );
    return { title: "Sign in", body, isNarrow: true };
  },
});

export const loginForm = defineAction({
  path: "/login",
  needs: null,
  limit: "login",
  page: login,
  form: z.object({ email: z.string().max(200), password: z.string().max(200) }),
  async act(call, { email, password }) {
    const { world } = call;
    const { userId, orgId } = await findMember(world.database, { email, password });
    return { to: nextPath(call), signIn: await signIn(world.database, { orgId, userId, nowMs: world.now() }) };
  },
});

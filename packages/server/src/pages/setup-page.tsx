import { signIn } from "../auth/sign-in.js";
import { setUpBody, setUpServer } from "../management/set-up.js";
import { defineAction, definePage } from "./page.js";
import { Field, Problem } from "./parts/field.js";
import { PostForm } from "./parts/post-form.js";
import { SecretField } from "./parts/secret-field.js";

export const setup = definePage({
  path: "/setup",
  needs: null,
  async render(call) {
    const org = await call.world.database.selectFrom("orgs").select("id").limit(1).executeTakeFirst();
    if (org !== undefined) return { to: "/" };
    const body = (
      <>
        <p class="dim">Create your organization and its owner: you. The server printed the link when it started.</p>
        <PostForm action="/setup" csrf={call.csrf} class="card">
          <Problem call={call} />
          <SecretField call={call} label="Secret of the setup link" />
          <Field call={call} label="Organization" name="organization" autocomplete="organization" />
          <Field call={call} label="Your email" name="email" type="email" autocomplete="username" />
          <Field
            call={call}
            label="Your password"
            name="password"
            type="password"
            autocomplete="new-password"
            hint="At least 12 characters"
            more={{ minlength: 12 }}
          />
          <button type="submit" class="primary">
            Set up the server
          </button>
        </PostForm>
      </>
    );
    return { title: "Set up the server", body, isNarrow: true };
  },
});

export const setupForm = defineAction({
  path: "/setup",
  needs: null,
  limit: "login",
  page: setup,
  form: setUpBody,
  async act({ world }, form) {
    const secret = await setUpServer(world, form, (work, owner) => signIn(work, { ...owner, nowMs: world.now() }));
    return { to: "/", signIn: secret };
  },
});

import * as z from "zod";
import { signIn } from "../auth/sign-in.js";
import { join } from "../management/invitations.js";
import { newPassword } from "../management/set-up.js";
import { defineAction, definePage } from "./page.js";
import { Field, Problem } from "./parts/field.js";
import { PostForm } from "./parts/post-form.js";
import { SecretField } from "./parts/secret-field.js";

export const joinPage = definePage({
  path: "/join",
  needs: null,
  async render(call) {
    const body = (
      <>
        <p class="dim">You were invited to a results server of KindLM. Choose a password to enter.</p>
        <PostForm action="/join" csrf={call.csrf} class="card">
          <Problem call={call} />
          <SecretField call={call} label="Secret of the invitation" />
          <Field
            call={call}
            label="Password"
            name="password"
            type="password"
            autocomplete="new-password"
            hint="At least 12 characters. If you are in another organization here, that of your account"
            more={{ minlength: 12 }}
          />
          <button type="submit" class="primary">
            Enter
          </button>
        </PostForm>
      </>
    );
    return { title: "Accept your invitation", body, isNarrow: true };
  },
});

export const joinForm = defineAction({
  path: "/join",
  needs: null,
  limit: "login",
  page: joinPage,
  form: z.object({ secret: z.string().max(200), password: newPassword }),
  async act({ world }, form) {
    const joined = await join(world, form);
    return { to: "/", signIn: await signIn(world.database, { ...joined, nowMs: world.now() }) };
  },
});

import * as z from "zod";
import { scopes, tokenDays } from "../auth/tokens.js";
import { createAccessToken, listAccessTokens, newTokenBody, revokeAccessToken } from "../management/access-tokens.js";
import { listProjects } from "../management/projects.js";
import { defineAction, definePage, type PageCall } from "./page.js";
import { Choice } from "./parts/choice.js";
import { Field, Problem } from "./parts/field.js";
import { Command, Empty, Time } from "./parts/figures.js";
import { PostForm } from "./parts/post-form.js";
import { scopeWords } from "./parts/scope-words.js";

type Token = Awaited<ReturnType<typeof listAccessTokens>>[number];

function TokenRow({ token, names, call }: { token: Token; names: ReadonlyMap<string, string>; call: PageCall }) {
  const { id, name, email, projects, used_ms, expires_ms } = token;
  const isExpired = expires_ms <= call.world.now();
  return (
    <tr>
      <th scope="row" class="main">
        {name}
        {email === null ? null : <span class="meta">{` ${email}`}</span>}
      </th>
      <td data-label="Scopes">
        {token.scopes.map((scope) => (
          <span class="badge code">{scope}</span>
        ))}
      </td>
      <td data-label="Projects">{projects?.map((one) => names.get(one) ?? one).join(", ") ?? "all"}</td>
      <td data-label="Last used">{used_ms === null ? "never" : <Time ms={used_ms} />}</td>
      <td data-label="Expires">{isExpired ? <span class="failed">expired</span> : <Time ms={expires_ms} />}</td>
      <td class="figure">
        <PostForm action="/tokens/revoke" csrf={call.csrf}>
          <button type="submit" aria-label={`Revoke ${name}`}>
            Revoke
          </button>
          <input type="hidden" name="token" value={id} />
        </PostForm>
      </td>
    </tr>
  );
}

function TokenList({
  tokens,
  names,
  call,
}: {
  tokens: readonly Token[];
  names: ReadonlyMap<string, string>;
  call: PageCall;
}) {
  return (
    <div class="wide" tabindex={0} role="region" aria-label="Tokens">
      <table class="list">
        <thead>
          <tr>
            {["Name", "Scopes", "Projects", "Last used", "Expires"].map((column) => (
              <th scope="col">{column}</th>
            ))}
            <td />
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <TokenRow token={token} names={names} call={call} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function NewToken({ call, names }: { call: PageCall; names: readonly string[] }) {
  return (
    <section>
      <h2>New token</h2>
      <PostForm action="/tokens" csrf={call.csrf} class="card">
        <Problem call={call} />
        <div class="halves">
          <Field
            call={call}
            label="Name"
            name="name"
            hint="Who uses it, such as CI of shop-bot"
            more={{ maxlength: 100 }}
          />
          <Field
            call={call}
            label="Days"
            name="days"
            hint="After that it is not valid"
            type="number"
            value={String(tokenDays)}
            more={{ min: 1, max: tokenDays, inputmode: "numeric" }}
          />
        </div>
        <fieldset>
          <legend>It may</legend>
          {scopes
            .filter((scope) => call.caller.scopes.has(scope))
            .map((scope) => (
              <Choice
                call={call}
                name="scopes[]"
                value={scope}
                label={scopeWords[scope]}
                hint={scope}
                isChosen={scope === "runs:write"}
              />
            ))}
        </fieldset>
        {names.length === 0 ? null : (
          <fieldset>
            <legend>In these projects, or in all if you choose none</legend>
            {names.map((name) => (
              <Choice call={call} name="projects[]" value={name} label={name} />
            ))}
          </fieldset>
        )}
        <button type="submit" class="primary">
          Create the token
        </button>
      </PostForm>
    </section>
  );
}

export const tokensPage = definePage({
  path: "/tokens",
  needs: "org:admin",
  tab: "Tokens",
  async render(call) {
    const tokens = await listAccessTokens(call.world, call.caller);
    const projects = await listProjects(call.world, call.caller);
    const names = new Map(projects.map(({ id, name }) => [id, name]));
    const body = (
      <>
        {tokens.length === 0 ? (
          <Empty title="No tokens yet">
            <p class="dim">CI uploads with a token that may only upload runs.</p>
          </Empty>
        ) : (
          <TokenList tokens={tokens} names={names} call={call} />
        )}
        <NewToken call={call} names={[...names.values()]} />
      </>
    );
    return { title: "Tokens", body };
  },
});

export const newTokenForm = defineAction({
  path: "/tokens",
  needs: "org:admin",
  limit: "write",
  page: tokensPage,
  form: z.object({
    name: newTokenBody.shape.name,
    "scopes[]": newTokenBody.shape.scopes
      .default([])
      .refine((chosen) => chosen.length > 0, "Choose at least one scope"),
    "projects[]": z.array(z.string()).default([]),
    days: z.coerce.number().pipe(newTokenBody.shape.days.unwrap()),
  }),
  async act({ world, caller }, { name, days, "scopes[]": own, "projects[]": projects }) {
    const named = projects.length === 0 ? null : projects;
    const { token } = await createAccessToken(world, caller, { name, days, scopes: own, projects: named });
    const body = (
      <>
        <p>
          Copy it now: the server keeps a hash of it, and nobody can see it again. In CI, store it as the secret{" "}
          <code>KINDLM_TOKEN</code>, and set <code>KINDLM_SERVER</code> to <code>{world.origin()}</code>.
        </p>
        <Command text={token} />
        <p>
          <a class="button" href="/tokens">
            Show all tokens
          </a>
        </p>
      </>
    );
    return { title: `Token ${name}`, body, status: 201 };
  },
});

export const revokeTokenForm = defineAction({
  path: "/tokens/revoke",
  needs: "org:admin",
  limit: "write",
  page: tokensPage,
  form: z.object({ token: z.string() }),
  async act({ world, caller }, { token }) {
    await revokeAccessToken(world, caller, token);
    return { to: "/tokens" };
  },
});

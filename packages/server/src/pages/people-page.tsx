import { roles } from "../auth/roles.js";
import { listInvitations } from "../management/invitations.js";
import { listPeople } from "../management/people.js";
import { definePage, type PageCall } from "./page.js";
import { Select } from "./parts/choice.js";
import { Field, Problem } from "./parts/field.js";
import { Time } from "./parts/figures.js";
import { OneButton, PostForm } from "./parts/post-form.js";

interface Member {
  id: string;
  email: string;
  role: string;
}

const rolesFor = ({ person }: PageCall): readonly string[] =>
  person?.role === "owner" ? roles : roles.filter((role) => role !== "owner");

function MemberRow({ call, member: { id, email, role } }: { call: PageCall; member: Member }) {
  const mayChange = rolesFor(call).includes(role);
  return (
    <tr>
      <th scope="row" class="main">
        {email}
        {id === call.person?.userId ? <span class="badge">you</span> : null}
      </th>
      <td data-label="Role">
        {mayChange ? (
          <PostForm action="/people/role" csrf={call.csrf} class="buttons">
            <Select
              name="role"
              id={`role-${id}`}
              label={`Role of ${email}`}
              isLabelHidden
              options={rolesFor(call)}
              value={role}
            />
            <button type="submit" aria-label={`Save the role of ${email}`}>
              Save
            </button>
            <input type="hidden" name="id" value={id} />
          </PostForm>
        ) : (
          role
        )}
      </td>
      <td class="figure">
        {mayChange ? (
          <div class="buttons">
            <OneButton call={call} action="/people/reset" fields={{ id }} label="New password" about={email} />
            <OneButton call={call} action="/people/remove" fields={{ id }} label="Remove" about={email} />
          </div>
        ) : null}
      </td>
    </tr>
  );
}

async function Invitations({ call, orgId }: { call: PageCall; orgId: string }) {
  const open = await listInvitations(call.world, orgId);
  return open.length === 0 ? null : (
    <section>
      <h2>Open invitations</h2>
      <div class="wide" tabindex={0} role="region" aria-label="Open invitations">
        <table class="list">
          <tbody>
            {open.map(({ id, email, role, expires_ms }) => (
              <tr>
                <th scope="row" class="main">
                  {email}
                </th>
                <td data-label="Role">{role}</td>
                <td data-label="Valid until">
                  <Time ms={expires_ms} />
                </td>
                <td class="figure">
                  <OneButton call={call} action="/people/withdraw" fields={{ id }} label="Withdraw" about={email} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Invite({ call }: { call: PageCall }) {
  return (
    <section>
      <h2>Invite someone</h2>
      <PostForm action="/people" csrf={call.csrf} class="card">
        <div class="halves">
          <Field call={call} label="Email" name="email" type="email" />
          <Select name="role" label="Role" options={rolesFor(call).toReversed()} value="member" />
        </div>
        <dl class="roles meta">
          <div>
            <dt>viewer</dt>
            <dd>sees runs and their history</dd>
          </div>
          <div>
            <dt>member</dt>
            <dd>also uploads, reads conversations, and sets baselines</dd>
          </div>
          <div>
            <dt>admin</dt>
            <dd>also manages projects, tokens and people</dd>
          </div>
          <div>
            <dt>owner</dt>
            <dd>also manages owners</dd>
          </div>
        </dl>
        <button type="submit" class="primary">
          Make an invitation link
        </button>
      </PostForm>
    </section>
  );
}

export const peoplePage = definePage({
  path: "/people",
  needs: "org:admin",
  tab: "People",
  async render(call) {
    const { orgId } = call.caller;
    const people = await listPeople(call.world, orgId);
    const body = (
      <>
        <Problem call={call} />
        <div class="wide" tabindex={0} role="region" aria-label="People">
          <table class="list">
            <thead>
              <tr>
                <th scope="col">Email</th>
                <th scope="col">Role</th>
                <td />
              </tr>
            </thead>
            <tbody>
              {people.map((member) => (
                <MemberRow call={call} member={member} />
              ))}
            </tbody>
          </table>
        </div>
        {await Invitations({ call, orgId })}
        <Invite call={call} />
      </>
    );
    return { title: "People", body };
  },
});

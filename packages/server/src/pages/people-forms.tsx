import * as z from "zod";
import { notFound, unauthorized } from "../api/api-error.js";
import { roles } from "../auth/roles.js";
import type { Person } from "../auth/sign-in.js";
import { invitationDays, invite, withdrawInvitation } from "../management/invitations.js";
import { changeRole, listPeople, removePerson } from "../management/people.js";
import { emailAddress } from "../management/set-up.js";
import { defineAction, type PageCall, type View } from "./page.js";
import { Command } from "./parts/figures.js";
import { peoplePage } from "./people-page.js";

const shared = { needs: "org:admin", limit: "write", page: peoplePage } as const;
const aboutOne = z.object({ id: z.string() });
const back = { to: "/people" } as const;

function personOf({ person }: PageCall): Person {
  if (person === null) throw unauthorized();
  return person;
}

function showLink(email: string, link: string): View {
  const body = (
    <>
      <p>
        Send this link to <b>{email}</b>. It works once, for {invitationDays} days. Nobody can see it again.
      </p>
      <Command text={link} />
      <p>
        <a class="button" href="/people">
          Show all people
        </a>
      </p>
    </>
  );
  return { title: "Invitation", body, status: 201 };
}

export const inviteForm = defineAction({
  ...shared,
  path: "/people",
  form: z.object({ email: emailAddress, role: z.enum(roles) }),
  async act(call, { email, role }) {
    return showLink(email, await invite(call.world, personOf(call), email, role));
  },
});

export const withdrawForm = defineAction({
  ...shared,
  path: "/people/withdraw",
  form: aboutOne,
  async act(call, { id }) {
    await withdrawInvitation(call.world, personOf(call), id);
    return back;
  },
});

export const roleForm = defineAction({
  ...shared,
  path: "/people/role",
  form: z.object({ id: z.string(), role: z.enum(roles) }),
  async act(call, { id, role }) {
    await changeRole(call.world, personOf(call), id, role);
    return back;
  },
});

/** A link with which a member chooses a new password. */
export const resetForm = defineAction({
  ...shared,
  path: "/people/reset",
  form: aboutOne,
  async act(call, { id }) {
    const people = await listPeople(call.world, call.caller.orgId);
    const email = people.find((one) => one.id === id)?.email;
    if (email === undefined) throw notFound("Person");
    return showLink(email, await invite(call.world, personOf(call), email, "viewer"));
  },
});

export const removeForm = defineAction({
  ...shared,
  path: "/people/remove",
  form: aboutOne,
  async act(call, { id }) {
    await removePerson(call.world, personOf(call), id);
    return back;
  },
});

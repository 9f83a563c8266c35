import * as z from "zod";
import { signOut } from "../auth/sign-in.js";
import { defineAction, definePage } from "./page.js";

export const home = definePage({
  path: "/",
  needs: "runs:read",
  tab: "Projects",
  async render({ world, caller }) {
    const projects = await world.database
      .selectFrom("projects")
      .select(["id", "name"])
      .where("org_id", "=", caller.orgId)
      .orderBy("name")
      .execute();
    const body = (
      <ul class="plain">
        {projects.map(({ name }) => (
          <li>
            <a href={`/p/${encodeURIComponent(name)}`}>{name}</a>
          </li>
        ))}
      </ul>
    );
    return { title: "Projects", body };
  },
});

export const signOutForm = defineAction({
  path: "/sign-out",
  needs: "any",
  limit: "write",
  page: home,
  form: z.object({}),
  async act({ world, person }) {
    if (person !== null) await signOut(world.database, person);
    return { to: "/login", signIn: null };
  },
});

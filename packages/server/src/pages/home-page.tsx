import * as z from "zod";
import { signOut } from "../auth/sign-in.js";
import { createProject, listProjects, projectName } from "../management/projects.js";
import { defineAction, definePage, type PageCall } from "./page.js";
import { Field, Problem } from "./parts/field.js";
import { Empty, PassRate, Time, Verdict } from "./parts/figures.js";
import { PostForm } from "./parts/post-form.js";

type Listed = Awaited<ReturnType<typeof listProjects>>[number];

function ProjectCard({ project }: { project: Listed }) {
  const { name, verdict, started_ms, branch, passed, failed } = project;
  return (
    <li class="card">
      <h2>
        <a href={`/p/${encodeURIComponent(name)}`}>{name}</a>
      </h2>
      {verdict === null || started_ms === null ? (
        <p class="dim">No runs yet</p>
      ) : (
        <>
          <p>
            <Verdict verdict={verdict} /> <PassRate passed={passed ?? 0} failed={failed ?? 0} />
          </p>
          <p class="meta">
            <Time ms={started_ms} />
            {branch === null ? null : <span class="code">{branch}</span>}
          </p>
        </>
      )}
    </li>
  );
}

function NewProject({ call }: { call: PageCall }) {
  return (
    <section>
      <h2>New project</h2>
      <PostForm action="/" csrf={call.csrf} class="line">
        <Problem call={call} />
        <Field
          call={call}
          label="Name"
          name="name"
          hint="As in upload.project of the config, such as shop-bot"
          more={{ maxlength: 100, pattern: String.raw`[A-Za-z0-9_][A-Za-z0-9_.\-]*`, spellcheck: "false" }}
        />
        <button type="submit" class="primary">
          Create the project
        </button>
      </PostForm>
    </section>
  );
}

export const home = definePage({
  path: "/",
  needs: "runs:read",
  tab: "Projects",
  async render(call) {
    const projects = await listProjects(call.world, call.caller);
    const canCreate = call.caller.scopes.has("project:admin");
    const body = (
      <>
        {projects.length > 0 ? (
          <ul class="plain cards">
            {projects.map((project) => (
              <ProjectCard project={project} />
            ))}
          </ul>
        ) : (
          <Empty title="No projects yet">
            <p class="dim">
              {canCreate
                ? "A project has the runs of one config. Create the first one."
                : "Ask an administrator to create one."}
            </p>
          </Empty>
        )}
        {canCreate ? <NewProject call={call} /> : null}
      </>
    );
    return { title: "Projects", body };
  },
});

export const newProjectForm = defineAction({
  path: "/",
  needs: "project:admin",
  limit: "write",
  page: home,
  form: z.object({ name: projectName }),
  async act({ world, caller }, { name }) {
    const days = { transcript_days: 14, case_days: 30, run_days: 400 };
    await createProject(world, caller, { name, accepts: [], ...days });
    return { to: `/p/${encodeURIComponent(name)}` };
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

import * as z from "zod";
import { projectOf } from "../api/route.js";
import { changeBadge, changeProject, projectSettings, retention } from "../management/projects.js";
import { defineAction, definePage, type PageCall } from "./page.js";
import { Choice } from "./parts/choice.js";
import { Field, Problem } from "./parts/field.js";
import { Command } from "./parts/figures.js";
import { PostForm } from "./parts/post-form.js";

const kept = [
  ["transcript_days", "Conversations"],
  ["case_days", "Cases and trials"],
  ["run_days", "Runs and history"],
] as const;

const pathOf = (call: PageCall): string => `/p/${encodeURIComponent(projectOf(call).name)}/settings`;

function Data({ call }: { call: PageCall }) {
  const project = projectOf(call);
  const accepts = project.accepts.split(" ");
  return (
    <section>
      <h2>Data</h2>
      <PostForm action={pathOf(call)} csrf={call.csrf} class="card">
        <Problem call={call} />
        <fieldset>
          <legend>Uploads have measurements. They may also include</legend>
          {(["messages", "transcripts"] as const).map((one) => (
            <Choice
              call={call}
              name="accepts[]"
              value={one}
              label={one === "messages" ? "Messages" : "Transcripts"}
              hint={one === "messages" ? "of errors and assertions" : "that is, whole conversations"}
              isChosen={accepts.includes(one)}
            />
          ))}
        </fieldset>
        <fieldset>
          <legend>Days to keep</legend>
          <div class="thirds">
            {kept.map(([name, label]) => (
              <Field
                call={call}
                name={name}
                label={label}
                type="number"
                value={String(project[name])}
                more={{ min: 1, max: 4_000, inputmode: "numeric" }}
              />
            ))}
          </div>
        </fieldset>
        <button type="submit" class="primary">
          Save
        </button>
      </PostForm>
    </section>
  );
}

function Badge({ call }: { call: PageCall }) {
  const { badge_key: key, name } = projectOf(call);
  const address = `${call.world.origin()}/badge/${key}.svg`;
  return (
    <section>
      <h2>Badge</h2>
      <div class="card">
        {key === null ? (
          <p>A badge shows the newest verdict to anyone who has its address. Without a key there is none.</p>
        ) : (
          <>
            <p>
              <img src={`/badge/${key}.svg`} alt={`Badge of ${name}`} height={20} />
            </p>
            <Command text={`![KindLM](${address})`} />
            <p class="meta">
              It shows the newest run of any branch, or of one with <code>?branch=main</code>. A new key ends the
              address before.
            </p>
          </>
        )}
        <PostForm action={`${pathOf(call)}/badge`} csrf={call.csrf} class="buttons">
          <button type="submit" name="action" value="make">
            {key === null ? "Make a badge" : "Replace the key"}
          </button>
          {key === null ? null : (
            <button type="submit" name="action" value="remove">
              Remove the badge
            </button>
          )}
        </PostForm>
      </div>
    </section>
  );
}

export const settingsPage = definePage({
  path: "/p/{project}/settings",
  needs: "project:admin",
  tab: "Settings",
  async render(call) {
    const body = (
      <>
        <Data call={call} />
        <Badge call={call} />
      </>
    );
    return { title: "Settings", body };
  },
});

const days = z.coerce.number("Days are whole numbers").pipe(retention);

export const settingsForm = defineAction({
  path: "/p/{project}/settings",
  needs: "project:admin",
  limit: "write",
  page: settingsPage,
  form: z.object({
    "accepts[]": projectSettings.accepts,
    transcript_days: days,
    case_days: days,
    run_days: days,
  }),
  async act(call, { "accepts[]": accepts, ...rest }) {
    await changeProject(call.world, call.caller, projectOf(call), { accepts, ...rest });
    return { to: pathOf(call) };
  },
});

export const badgeForm = defineAction({
  path: "/p/{project}/settings/badge",
  needs: "project:admin",
  limit: "write",
  page: settingsPage,
  form: z.object({ action: z.enum(["make", "remove"]) }),
  async act(call, { action }) {
    await changeBadge(call.world, call.caller, projectOf(call), action);
    return { to: pathOf(call) };
  },
});

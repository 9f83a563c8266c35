import { projectOf } from "../api/route.js";
import { definePage, type PageCall } from "./page.js";
import { Choice } from "./parts/choice.js";
import { Field, Problem } from "./parts/field.js";
import { Command } from "./parts/figures.js";
import { settingsPath } from "./parts/paths.js";
import { PostForm } from "./parts/post-form.js";
import { Webhooks } from "./parts/webhooks.js";

const kept = [
  ["transcript_days", "Conversations"],
  ["case_days", "Cases and trials"],
  ["run_days", "Runs and history"],
] as const;

const pathOf = (call: PageCall): string => settingsPath(projectOf(call).name);

/** The page has several forms: what was sent, and what is wrong with it, belongs to the one of that address. */
const sentTo = (call: PageCall, path: string): PageCall =>
  call.path === path ? call : { ...call, sent: {}, problem: null };

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
    const path = pathOf(call);
    const body = (
      <>
        <Data call={sentTo(call, path)} />
        {await Webhooks({ call: sentTo(call, `${path}/webhooks`), path: `${path}/webhooks` })}
        <Badge call={call} />
      </>
    );
    return { title: "Settings", body };
  },
});

import { notFound } from "../api/api-error.js";
import { findRunAnywhere } from "../history/read-runs.js";
import { definePage } from "./page.js";
import { Time } from "./parts/figures.js";
import { Name, Sign } from "./parts/names.js";
import { runPath } from "./parts/paths.js";

/** The link of comments on pull requests, which know a run by its ID alone. */
export const findRunPage = definePage({
  path: "/r/{run}",
  needs: "runs:read",
  async render({ world, caller, params }) {
    const run = params["run"] ?? "";
    const found = await findRunAnywhere(world.database, caller.orgId, run);
    const [only] = found;
    if (only === undefined) throw notFound("Run");
    if (found.length === 1) return { to: runPath(only.name, run) };
    const body = (
      <>
        <p>Several projects have a run of this ID.</p>
        <ul class="plain">
          {found.map(({ name, started_ms, verdict, branch }) => (
            <li>
              <Sign status={verdict} />{" "}
              <a href={runPath(name, run)}>
                <Name text={name} />
              </a>{" "}
              <span class="meta">
                <Time ms={started_ms} /> {branch}
              </span>
            </li>
          ))}
        </ul>
      </>
    );
    return { title: `Run ${run}`, body };
  },
});

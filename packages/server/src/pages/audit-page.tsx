import { readAuditLog } from "../management/audit-log.js";
import { definePage } from "./page.js";
import { Empty, NextPage, Time } from "./parts/figures.js";

export const auditPage = definePage({
  path: "/audit",
  needs: "org:admin",
  tab: "Audit log",
  async render({ world, caller, query }) {
    const { items, next } = await readAuditLog(world, caller, query["after"]);
    const body =
      items.length === 0 ? (
        <Empty title="Nothing here" />
      ) : (
        <>
          <div class="wide" tabindex={0} role="region" aria-label="Actions">
            <table class="list">
              <thead>
                <tr>
                  {["When", "Who", "What", "Which"].map((column) => (
                    <th scope="col">{column}</th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {items.map(({ at_ms, actor, actor_name, action, subject }) => (
                  <tr>
                    <td class="main">
                      <Time ms={at_ms} />
                    </td>
                    <td data-label="Who">{actor_name ?? <span class="code">{actor}</span>}</td>
                    <td data-label="What" class="code">
                      {action}
                    </td>
                    <td data-label="Which" class="code">
                      {subject}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <NextPage path="/audit" next={next} />
        </>
      );
    return { title: "Audit log", body };
  },
});

import { noteAction } from "../auth/audit.js";
import type { Database } from "../database/tables.js";

/** None for an organization that hosts itself: it has all features. */
const plans = new Set(["free", "team", "enterprise", "none"]);

/**
 * Sets the plan of an organization by its name or its ID. Resolves with what to show. Rejects with the reason if there is
 * no such plan or organization, or if several have the name.
 */
export async function setPlan(database: Database, organization: string, plan: string, nowMs: number): Promise<string> {
  if (!plans.has(plan)) throw new Error(`"${plan}" is not a plan: use free, team, enterprise or none`);
  const found = await database
    .selectFrom("orgs")
    .select(["id", "name"])
    .where((where) => where.or([where("id", "=", organization), where("name", "=", organization)]))
    .orderBy("id")
    .execute();
  const [org, ...others] = found;
  if (org === undefined) throw new Error(`No organization is called "${organization}"`);
  if (others.length > 0) {
    throw new Error(`Several organizations are called "${organization}": ${found.map(({ id }) => id).join(", ")}`);
  }
  await database
    .updateTable("orgs")
    .set({ plan: plan === "none" ? null : plan })
    .where("id", "=", org.id)
    .execute();
  await noteAction({ database, now: () => nowMs }, { orgId: org.id, tokenId: "operator" }, `plan.${plan}`, org.id);
  return `${org.name} has ${plan === "none" ? "no plan" : `the plan ${plan}`}`;
}

import { sql } from "kysely";
import { expect, it } from "vitest";
import { startTestServer } from "../__fixtures__/test-server.js";
import { codeOf, inTransaction } from "./retry-conflicts.js";

it.concurrent.each(["40P01", "40001"])(
  "runs a transaction again that the database refuses with %s, five times in all",
  async (code) => {
    const { database } = (await startTestServer()).opened;
    let tries = 0;
    const refusedUntil = (last: number) =>
      inTransaction(database, async (work) => {
        tries += 1;
        await work
          .insertInto("setup_links")
          .values({ hash: `${code}-${last}-${tries}`, expires_ms: 0, used_ms: null })
          .execute();
        if (tries < last)
          await sql.raw(`do $$ begin raise exception 'met another' using errcode = '${code}'; end $$`).execute(work);
        return tries;
      });
    expect(await refusedUntil(2)).toBe(2);
    const left = await database.selectFrom("setup_links").select("hash").where("hash", "like", `${code}-2-%`).execute();
    expect(left).toEqual([{ hash: `${code}-2-2` }]);
    tries = 0;
    const failed: unknown = await refusedUntil(6).catch((error: unknown) => error);
    expect({ code: codeOf(failed), tries }).toEqual({ code, tries: 5 });
  },
);

it("does not repeat what fails for another reason", async () => {
  const { database } = (await startTestServer()).opened;
  let tries = 0;
  const failed: unknown = await inTransaction(database, async (work) => {
    tries += 1;
    await sql`select 1 / 0`.execute(work);
  }).catch((error: unknown) => error);
  expect({ code: codeOf(failed), tries }).toEqual({ code: "22012", tries: 1 });
});

it("lets both of two transactions through that lock the same rows the other way round", async () => {
  const { opened, orgId, projectId } = await startTestServer();
  const { database, kind } = opened;
  const first = async (met: Promise<void>, arrive: () => void, isOrgFirst: boolean) => {
    let hasMet = kind === "embedded";
    await inTransaction(database, async (work) => {
      const lockOrg = () => work.updateTable("orgs").set({ plan: null }).where("id", "=", orgId).execute();
      const lockProject = () => work.updateTable("projects").set({ accepts: "" }).where("id", "=", projectId).execute();
      await (isOrgFirst ? lockOrg() : lockProject());
      arrive();
      // The embedded database has one connection, so nobody meets there.
      if (!hasMet) await met;
      hasMet = true;
      await (isOrgFirst ? lockProject() : lockOrg());
    });
    return "through";
  };
  const [one, other] = [gate(), gate()];
  const both = [first(other.opened, one.open, true), first(one.opened, other.open, false)];
  expect(await Promise.all(both)).toEqual(["through", "through"]);
});

function gate(): { opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

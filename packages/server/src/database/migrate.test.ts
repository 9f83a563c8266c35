import { expect, it } from "vitest";
import { startTestServer } from "../__fixtures__/test-server.js";
import { explainFailure } from "./explain-failure.js";
import { migrate, schemaVersion } from "./migrate.js";

it("refuses the schema of a later version, and says what to start", async () => {
  const { database } = (await startTestServer()).opened;
  const set = (version: number) => database.updateTable("schema_version").set({ version }).execute();
  await set(999);
  const refused = await migrate(database).then(
    () => null,
    (error: unknown) => explainFailure(error),
  );
  await set(schemaVersion);
  expect(refused).toEqual({
    message: `The database has schema 999, but this server knows schemas up to ${schemaVersion}`,
    fix: "Start the version of the server that wrote it, or a later one",
  });
  await migrate(database);
});

import { rename, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { workerData } from "node:worker_threads";

// The thread of scripts/make-database.js. To optimize PostgreSQL takes longer than all that is asked of it here.
setFlagsFromString("--liftoff-only");
const { folder, image, migrations } = workerData;
const serverRequire = createRequire(join(folder, "package.json"));
const load = (path) => import(pathToFileURL(path).href);
const { PGlite } = await load(serverRequire.resolve("@electric-sql/pglite").replace(/\.cjs$/, ".js"));
const { migrate } = await load(migrations);
const { Kysely, PostgresDialect } = serverRequire("kysely");
const made = await PGlite.create();
await migrate(new Kysely({ dialect: new PostgresDialect({ pool: poolOf(made) }) }));
await shrink(made);
const dumped = await made.dumpDataDir("gzip");
await made.close();
await writeFile(`${image}.new`, Buffer.from(await dumped.arrayBuffer()));
await rename(`${image}.new`, image);

/** Kysely's pool of the one connection. */
function poolOf(postgres) {
  const query = async (sql, parameters) => {
    const { rows, affectedRows, command } = await postgres.query(sql, parameters);
    return { rows, rowCount: affectedRows ?? rows.length, command: command ?? "" };
  };
  return { connect: async () => ({ query, release() {} }), end: async () => {} };
}

/**
 * Leaves out what no server uses and each would unpack, two thirds of the files: the databases that others are made
 * from, and the log of how all this was made.
 */
async function shrink(postgres) {
  await postgres.exec("update pg_database set datistemplate = false, datallowconn = true");
  for (const name of ["template0", "template1"]) await postgres.exec(`drop database ${name}`);
  // A log file that is recycled keeps its content, and the second checkpoint removes the one before the switch.
  for (const statement of ["set wal_recycle = off", "checkpoint", "select pg_switch_wal()", "checkpoint"])
    await postgres.exec(statement);
}

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";

/**
 * Writes `dist/database.tar.gz`: the database of a results server that was never used, with its schema, so that a first
 * start only unpacks it. The name of the file has no version, so the package finds it. It is made again for another
 * version of PGlite and after a change of the schema or of this file.
 */
export async function makeDatabase(folder, dist, version) {
  const image = join(dist, "database.tar.gz");
  const made = join(folder, "build", ".database-version");
  const migrations = join(folder, "build", "database", "migrate.js");
  const sources = await Promise.all([migrations, import.meta.filename].map((file) => readFile(file)));
  const wanted = `${version} ${createHash("sha256").update(Buffer.concat(sources)).digest("hex")}`;
  const before = existsSync(image) ? await readFile(made, "utf8").catch(() => "") : "";
  if (before === wanted) return;
  // To optimize PostgreSQL takes longer than all that is asked of it here.
  setFlagsFromString("--liftoff-only");
  const serverRequire = createRequire(join(folder, "package.json"));
  const load = (path) => import(pathToFileURL(path).href);
  const { PGlite } = await load(serverRequire.resolve("@electric-sql/pglite").replace(/\.cjs$/, ".js"));
  const { migrate } = await load(migrations);
  const { Kysely, PostgresDialect } = serverRequire("kysely");
  const postgres = await PGlite.create();
  await migrate(new Kysely({ dialect: new PostgresDialect({ pool: poolOf(postgres) }) }));
  await shrink(postgres);
  const dumped = await postgres.dumpDataDir("gzip");
  await postgres.close();
  await writeFile(`${image}.new`, Buffer.from(await dumped.arrayBuffer()));
  await rename(`${image}.new`, image);
  await writeFile(made, wanted);
}

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

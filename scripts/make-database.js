import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Worker } from "node:worker_threads";

/** A thread of its own: it takes as long as all that is bundled meanwhile. */
const writer = join(import.meta.dirname, "write-database.js");

/**
 * Writes `dist/database.tar.gz`: the database of a results server that was never used, with its schema, so that a first
 * start only unpacks it. The name of the file has no version, so the package finds it. It is made again for another
 * version of PGlite and after a change of the schema or of what writes it.
 */
export async function makeDatabase(folder) {
  const image = join(folder, "dist", "database.tar.gz");
  await mkdir(dirname(image), { recursive: true });
  const made = join(folder, "build", ".database-version");
  const migrations = join(folder, "build", "database", "migrate.js");
  const sources = await Promise.all([migrations, writer].map((file) => readFile(file)));
  const { dependencies } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const wanted = `${dependencies["@electric-sql/pglite"]} ${createHash("sha256").update(Buffer.concat(sources)).digest("hex")}`;
  const before = existsSync(image) ? await readFile(made, "utf8").catch(() => "") : "";
  if (before === wanted) return;
  await once(new Worker(writer, { workerData: { folder, image, migrations } }), "exit");
  await writeFile(made, wanted);
}

import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { chmod, chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const installed = "/usr/lib/postgresql";

/** The programs of the newest PostgreSQL that Debian has installed. */
function programs() {
  const versions = existsSync(installed) ? readdirSync(installed).toSorted((a, b) => Number(b) - Number(a)) : [];
  const [newest] = versions;
  if (newest === undefined) throw new Error("No PostgreSQL found: install Debian's package postgresql");
  return join(installed, newest, "bin");
}

/** PostgreSQL does not run as root. */
async function account() {
  if (process.getuid?.() !== 0) return {};
  const idOf = async (flag) => Number((await run("id", [flag, "postgres"])).stdout);
  return { uid: await idOf("-u"), gid: await idOf("-g") };
}

/** Where the other account may go, too: the folder of temporary files of a test may be closed to it. */
const openFolder = () => (process.getuid?.() === 0 ? "/tmp" : tmpdir());

/**
 * A private PostgreSQL on a socket in a folder of its own, with Debian's defaults. `folder` has the socket, `urlOf` gives
 * the address of a database. Without `isDurable` nothing is flushed, which tests do not need. With `password`, the user
 * `kindlm` has to give it.
 *
 * @param {{ isDurable?: boolean, parent?: string, password?: string | null }} [options]
 */
export async function startCluster({ isDurable = false, parent = openFolder(), password = null } = {}) {
  const [bin, as, folder] = [programs(), await account(), await mkdtemp(join(parent, "kindlm-pg-"))];
  if (as.uid !== undefined) await chown(folder, as.uid, as.gid);
  await chmod(folder, 0o755);
  const data = join(folder, "data");
  const options = { ...as, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: "C.UTF-8" } };
  await run(join(bin, "initdb"), ["-D", data, "-U", "kindlm", "-A", "trust", "--no-sync"], options);
  const flushing = isDurable ? "" : " -c fsync=off";
  const server = `-c listen_addresses='' -c unix_socket_directories='${folder}'${flushing}`;
  const control = (...words) => run(join(bin, "pg_ctl"), ["-D", data, "-w", ...words], options);
  const start = () => control("-l", join(folder, "log"), "-o", server, "start");
  const words = ["-w", "-h", folder, "-U", "kindlm", "-d", "postgres", "-qc"];
  const psql = { ...options, env: { ...options.env, PGPASSWORD: password ?? "" } };
  const query = (text) => run(join(bin, "psql"), [...words, text], psql);
  await start();
  if (password !== null) {
    await query(`alter user kindlm password '${password}'`);
    await run("sed", ["-i", "s/trust$/scram-sha-256/", join(data, "pg_hba.conf")], options);
    await control("reload");
  }
  return {
    folder,
    /** @type {(name: string, secret?: string | null) => string} */
    urlOf: (name, secret = password) =>
      `postgres://kindlm${secret === null ? "" : `:${encodeURIComponent(secret)}`}@/${name}?host=${encodeURIComponent(folder)}`,
    query,
    start,
    /** Ends all connections. */
    halt: () => control("-m", "fast", "stop"),
    async remove() {
      await control("-m", "immediate", "stop").catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

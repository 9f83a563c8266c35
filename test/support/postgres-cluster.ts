import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { chmod, chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const installed = "/usr/lib/postgresql";

/** The programs of the newest PostgreSQL that Debian has installed. */
function programs(): string {
  const versions = existsSync(installed) ? readdirSync(installed).toSorted((a, b) => Number(b) - Number(a)) : [];
  const [newest] = versions;
  if (newest === undefined) throw new Error("No PostgreSQL found: install Debian's package postgresql");
  return join(installed, newest, "bin");
}

interface Account {
  uid: number;
  gid: number;
}

/** PostgreSQL does not run as root. */
async function account(): Promise<Account | null> {
  if (process.getuid?.() !== 0) return null;
  const idOf = async (flag: string): Promise<number> => Number((await run("id", [flag, "postgres"])).stdout);
  return { uid: await idOf("-u"), gid: await idOf("-g") };
}

/** Vitest's global setup of `pnpm test:postgres`: a private cluster on a socket in a folder of its own. */
export async function setup({
  provide,
}: {
  provide(key: "postgres", value: string): void;
}): Promise<() => Promise<void>> {
  const [bin, as, folder] = [programs(), await account(), await mkdtemp(join(tmpdir(), "kindlm-pg-"))];
  if (as !== null) await chown(folder, as.uid, as.gid);
  await chmod(folder, 0o755);
  const data = join(folder, "data");
  const options = { ...as, cwd: folder, env: { PATH: process.env["PATH"], LC_ALL: "C.UTF-8" } };
  await run(join(bin, "initdb"), ["-D", data, "-U", "kindlm", "-A", "trust", "--no-sync"], options);
  const server = `-c listen_addresses='' -c unix_socket_directories='${folder}' -c fsync=off`;
  await run(join(bin, "pg_ctl"), ["-D", data, "-w", "-l", join(folder, "log"), "-o", server, "start"], options);
  provide("postgres", folder);
  return async () => {
    await run(join(bin, "pg_ctl"), ["-D", data, "-m", "immediate", "stop"], options);
    await rm(folder, { recursive: true, force: true });
  };
}

declare module "vitest" {
  interface ProvidedContext {
    /** Folder with the socket of a PostgreSQL server, in `pnpm test:postgres`. */
    postgres?: string;
  }
}

import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";

/**
 * Where and as whom the tests must pass. A place has a name and may say
 * - `folder`: the name of the clone's folder;
 * - `user`: the id of the user to whom the clone belongs and who runs the tests;
 * - `permissions`: what `chmod -R` does to the clone;
 * - `script`: shell commands that end by running "$@", the tests;
 * - `environment(extra)`: variables, made with the path of a folder that belongs to the place;
 * - `missing()`: why it cannot be tried on this machine, or null.
 */

const isRoot = process.getuid?.() === 0;
/** An ordinary user, as every system has one, and one of whom the system knows nothing but the number. */
const [nobody, unnamed] = [65_534, 54_321];
/** Where the tests do not run as root, whoever runs them is an ordinary user. */
const ordinary = isRoot ? { user: nobody, missing: () => missingUser(nobody) } : {};
const needsRoot = () => (isRoot ? null : "only root can try it");

function missingUser(id) {
  if (!isRoot) return "only root can become another user";
  const options = { uid: id, gid: id };
  return spawnSync(process.execPath, ["-e", "0"], options).status === 0
    ? null
    : `user ${id} may not run ${process.execPath}`;
}

const withoutProc = ["unshare", "-m", "bash", "-c", 'mount -t tmpfs none /proc && exec "$@"', "bash"];

function missingProc() {
  const [program, ...args] = [...withoutProc, process.execPath, "-e", "0"];
  return spawnSync(program, args).status === 0 ? null : "/proc cannot be hidden here";
}

function pathThrough(folder) {
  return { PATH: [folder, process.env.PATH].join(delimiter) };
}

export const places = [
  { name: "root-private", permissions: "go=", missing: needsRoot },
  { name: "ordinary-user", ...ordinary },
  { name: "unnamed-user", user: unnamed, missing: () => missingUser(unnamed) },
  { name: "umask-077", permissions: "go=", script: 'umask 077; exec "$@"' },
  { name: "path", folder: "ein Klön mit Lücken 試験" },
  { name: "empty-home", environment: (extra) => ({ HOME: extra, GIT_CONFIG_NOSYSTEM: "1", EMAIL: undefined }) },
  { name: "other-side", environment: () => ({ TZ: "Pacific/Chatham", LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8" }) },
  { name: "posix-locale", environment: () => ({ TZ: "America/St_Johns", LANG: "C", LC_ALL: "POSIX" }) },
  { name: "ci", environment: () => ({ CI: "true", GITHUB_ACTIONS: "true" }) },
  { name: "no-color", environment: () => ({ NO_COLOR: "1" }) },
  { name: "force-color", environment: () => ({ FORCE_COLOR: "1" }) },
  { name: "stdin-closed", script: 'exec "$@" <&-' },
  {
    name: "closed-path",
    ...ordinary,
    environment(extra) {
      const closed = join(extra, "closed");
      mkdirSync(closed);
      chmodSync(closed, 0o000);
      return { FORCE_COLOR: "1", ...pathThrough(closed) };
    },
  },
  {
    name: "no-namespaces",
    environment(extra) {
      for (const program of ["unshare", "setpriv"]) {
        writeFileSync(join(extra, program), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
      }
      return pathThrough(extra);
    },
  },
  { name: "no-proc", through: withoutProc, missing: missingProc },
];

import { spawn, spawnSync, type SpawnOptionsWithoutStdio } from "node:child_process";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ProcessOutcome as CliOutcome } from "./start-cli.js";
import { cliPath } from "./start-cli.js";

/** A folder `.kindlm` in which files can not grow, or not be made at all. */
export interface BrokenPlace {
  name: string;
  /** What the system says of it. */
  code: RegExp;
  run(args: readonly string[], cwd: string): Promise<CliOutcome>;
}

const isRoot = process.getuid?.() === 0;
/** Whoever may mount nothing may still do so in a namespace of their own. */
const namespace = [
  ["unshare", "-m"],
  ["unshare", "-rm"],
].find(([program = "", ...args]) => spawnSync(program, [...args, "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0);

/** Runs the built command line by a script that starts what it is given as `"$@"`. */
function runBy(
  [program = "bash", ...before]: readonly string[],
  script: string,
  args: readonly string[],
  options: SpawnOptionsWithoutStdio,
): Promise<CliOutcome> {
  const startedAt = performance.now();
  const env = { PATH: process.env["PATH"] ?? "", HOME: options.cwd?.toString() ?? "" };
  const child = spawn(program, [...before, "-c", script, "bash", process.execPath, cliPath, ...args], {
    env,
    ...options,
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) =>
      resolve({ code, signal, stdout, stderr, durationMs: performance.now() - startedAt }),
    );
  });
}

/** A disk of 64 KiB, which nobody else sees and which is gone with the process. */
const fullDisk: BrokenPlace = {
  name: "a full disk",
  code: /ENOSPC/,
  run(args, cwd) {
    mkdirSync(join(cwd, ".kindlm"));
    const script = 'mount -t tmpfs -o size=64k none .kindlm && exec "$@"';
    return runBy([...(namespace ?? []), "bash"], script, args, { cwd });
  },
};

/** Every system has it, whoever runs the tests. */
const fileLimit: BrokenPlace = {
  name: "a limit on the length of files",
  code: /EFBIG/,
  run(args, cwd) {
    mkdirSync(join(cwd, ".kindlm"));
    return runBy(["bash"], 'ulimit -f 64; exec "$@"', args, { cwd });
  },
};

/** Nobody is bound by permissions who is root, so that the program is run as somebody else. */
const forbidden: BrokenPlace = {
  name: "a folder in which nothing may be written",
  code: /EACCES/,
  run(args, cwd) {
    mkdirSync(join(cwd, ".kindlm"));
    chmodSync(join(cwd, ".kindlm"), 0o555);
    chmodSync(cwd, 0o755);
    return runBy(["bash"], 'exec "$@"', args, { cwd, ...(isRoot ? { uid: 65_534, gid: 65_534 } : {}) });
  },
};

/** Where no file system can be mounted, the limit stands for the full disk. */
export const brokenPlaces: readonly BrokenPlace[] = [
  ...(namespace === undefined ? [] : [fullDisk]),
  fileLimit,
  forbidden,
];

import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findStarter } from "./find-starter.js";
import { runProcess, type ProcessOutcome } from "./start-cli.js";

/** A folder `.kindlm` in which files cannot grow, or not be made at all. */
export interface BrokenPlace {
  name: string;
  /** What the system says of it. */
  code: RegExp;
  run(args: readonly string[], cwd: string): Promise<ProcessOutcome>;
}

const readOnly = mkdtempSync(join(tmpdir(), "kindlm-read-only-"));
mkdirSync(join(readOnly, "folder"), { mode: 0o555 });

const all = [
  {
    // A disk of 64 KiB, which nobody else sees and which is gone with the process. Whoever may mount nothing may still
    // do so in a namespace of their own.
    name: "a full disk",
    code: /ENOSPC/,
    starter: findStarter(
      [
        ["unshare", "-m"],
        ["unshare", "-rm"],
      ],
      ["mount", "-t", "tmpfs", "none", readOnly],
    ),
    script: "mount -t tmpfs -o size=64k none .kindlm",
  },
  {
    name: "a limit on the length of files",
    code: /EFBIG/,
    starter: findStarter([[]], ["bash", "-c", "ulimit -f 64"]),
    script: "ulimit -f 64",
  },
  {
    // Root is bound by permissions only without the capability to override them.
    name: "a folder in which nothing may be written",
    code: /EACCES/,
    starter: findStarter(
      [[], ["setpriv", "--bounding-set=-dac_override"]],
      ["test", "!", "-w", join(readOnly, "folder")],
    ),
    script: "chmod 555 .kindlm",
  },
];

export const brokenPlaces: readonly BrokenPlace[] = all.flatMap(({ name, code, starter, script }) => {
  if (starter === null) return [];
  const through = [...starter, "bash", "-c", `${script} && exec "$@"`, "bash"];
  const run: BrokenPlace["run"] = (args, cwd) => {
    mkdirSync(join(cwd, ".kindlm"));
    return runProcess(args, { cwd, through });
  };
  return [{ name, code, run }];
});

/** The names of the places that cannot be made on this machine by who runs the tests. */
export const missingPlaces: readonly string[] = all.flatMap(({ name, starter }) => (starter === null ? [name] : []));

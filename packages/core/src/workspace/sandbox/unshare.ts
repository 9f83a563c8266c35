import { aroundProgram, type SandboxKind } from "./sandbox-kind.js";

/** Where `ip` is found that the `PATH` of most users lacks. */
const bringUp = "PATH=$PATH:/usr/sbin:/sbin; ip link set lo up >&2 && echo $$ && exec cat";

/** Up to version 2.37, `unshare` leaves these signals ignored in what it starts. */
const withSignals = ["env", "--default-signal=INT,TERM", "--"];

const withoutCapabilities = [
  "setpriv",
  "--no-new-privs",
  "--inh-caps=-all",
  "--ambient-caps=-all",
  "--bounding-set=-all",
  "--",
];

/** Should KindLM be killed. */
const endsWithKindlm = ["setpriv", "--pdeathsig", "KILL", "--"] as const;

/**
 * The programs of util-linux: own processes and an own network, but all files of the user. Programs in it have no
 * capabilities, or the superuser could leave it through the processes of the machine.
 */
export const unshare: SandboxKind = defineUnshare({
  own: ["--user", "--map-current-user", "--keep-caps"],
  enter: ["--user", "--net", "--preserve-credentials"],
});

/** The same for the superuser where nobody can make users. */
export const unshareAsSuperuser: SandboxKind = defineUnshare({ own: [], enter: ["--net"] });

function defineUnshare({ own, enter }: { own: readonly string[]; enter: readonly string[] }): SandboxKind {
  const ownProcesses = ["unshare", ...own, "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc", "--"];
  return {
    name: "unshare",
    keepsFilesApart: false,
    foldersOf: () => [],
    holdNetwork: ["unshare", ...own, "--net", "--", "/bin/sh", "-c", bringUp],
    enterNetwork: (holder) => ["nsenter", "--target", holder, ...enter, "--"],
    wrap: (_place, program) => [
      ...endsWithKindlm,
      ...ownProcesses,
      ...withoutCapabilities,
      ...withSignals,
      ...aroundProgram(program),
    ],
  };
}

import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import path from "node:path";

/** What a sandbox is made for. All paths are absolute and without links. */
export interface SandboxPlace {
  /** Holds the others; nothing else of the machine can be written. */
  parent: string;
  /** Where programs start. */
  root: string;
  home: string;
  /** Of its programs; the folders of `PATH` can be read. */
  env: Readonly<Record<string, string | undefined>>;
  /** Home of the user, which is not shown as a whole even if `PATH` names it. */
  userHome: string | undefined;
  /** Whether the network of the machine can be used; else there is loopback only. */
  network: boolean;
}

/** What programs need of the machine, if it exists. */
const systemFolders = ["usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "etc", "opt", "nix/store"].map(
  (name) => `/${name}`,
);
/** What only the superuser can read there, who may have started KindLM. */
const secretFolders = ["/etc/ssh", "/etc/ssl/private", "/etc/sudoers.d"];
const secretFiles = ["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers"];
/** What the programs in a `bin` folder load from next to it. */
const besideBin = ["lib", "libexec"];

/** Folders of a place that the sandbox shows as `/tmp` and `/dev/shm`. */
export function privateFolders({ parent }: SandboxPlace): { tmp: string; shm: string } {
  return { tmp: path.join(parent, "tmp"), shm: path.join(parent, "shm") };
}

/**
 * The line that runs a program in a new sandbox, with its own processes; `[0]` is bubblewrap. The shell around the
 * program is the first of these processes: whatever is left when it ends is killed by the system before bubblewrap ends.
 */
export function bwrapLine(place: SandboxPlace, program: readonly [string, ...string[]]): [string, ...string[]] {
  const { root, home, network, parent } = place;
  const { tmp, shm } = privateFolders(place);
  const isInSystem = systemFolders.some((folder) => isIn(parent, folder));
  const options: readonly (readonly string[])[] = [
    ["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    ["--as-pid-1", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "workspace"],
    ...systemFolders.map(showSystem),
    ...secretFolders.filter((folder) => existsSync(folder)).map((folder) => ["--tmpfs", folder]),
    ...secretFiles.filter((file) => existsSync(file)).map((file) => ["--ro-bind", "/dev/null", file]),
    // The superuser can change settings of the kernel even without capabilities, one of which starts programs.
    ["--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys"],
    ["--dev", "/dev", "--bind", shm, "/dev/shm", "--bind", tmp, "/tmp", "--bind", tmp, "/var/tmp"],
    ...programFolders(place, program[0]).map((folder) => ["--ro-bind-try", folder, folder]),
    ...(network ? resolverFiles() : []).map((file) => ["--ro-bind-try", file, file]),
    isInSystem ? ["--tmpfs", path.dirname(parent)] : [],
    ["--bind", root, root, "--bind", home, home],
    ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", root],
  ];
  return ["bwrap", ...options.flat(), "--", "/bin/sh", "-c", '"$@"; exit $?', "sh", ...program];
}

/** Systems that keep all programs in `/usr` have links in place of the other folders. */
function showSystem(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  if (lstatSync(folder).isSymbolicLink()) return ["--symlink", readlinkSync(folder), folder];
  return ["--ro-bind", folder, folder];
}

/** Where programs are found that are not part of the system, such as those that a version manager keeps in `HOME`. */
function programFolders({ env, parent, userHome }: SandboxPlace, program: string): readonly string[] {
  const ofUser = env["PATH"]?.split(":").filter((folder) => path.isAbsolute(folder) && existsSync(folder)) ?? [];
  const withLibraries = ofUser.flatMap((folder) => [
    folder,
    ...(path.basename(folder) === "bin" ? besideBin.map((name) => path.join(path.dirname(folder), name)) : []),
  ]);
  const named = path.isAbsolute(program) && existsSync(program) ? [program] : [];
  const isShown = (one: string): boolean => systemFolders.some((folder) => isIn(one, folder)) || isIn(one, parent);
  const isTooMuch = (one: string): boolean => isIn(parent, one) || (userHome !== undefined && isIn(userHome, one));
  return [...new Set([...withLibraries, ...named])].filter((one) => !isShown(one) && !isTooMuch(one));
}

/** The file that names the servers for names of hosts, where it is kept elsewhere than in `/etc`. */
function resolverFiles(): readonly string[] {
  const file = "/etc/resolv.conf";
  const real = existsSync(file) ? realpathSync(file) : file;
  return isIn(real, "/etc") ? [] : [real];
}

function isIn(file: string, folder: string): boolean {
  return file === folder || file.startsWith(folder === "/" ? folder : `${folder}/`);
}

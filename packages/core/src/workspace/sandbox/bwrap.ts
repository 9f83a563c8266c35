import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import path from "node:path";
import { aroundProgram, type Line, type SandboxKind, type SandboxPlace } from "./sandbox-kind.js";

/** What programs need of the machine, if it exists. */
const systemFolders = ["usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "etc", "opt", "nix/store"].map(
  (name) => `/${name}`,
);
/** What only the superuser can read there, who may have started KindLM. */
const secretFolders = ["/etc/ssh", "/etc/ssl/private", "/etc/sudoers.d"];
const secretFiles = ["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers"];
/** What the programs in a `bin` folder load from next to it. */
const besideBin = ["lib", "libexec"];

const ownNetwork = ["--unshare-user", "--unshare-net", "--die-with-parent", "--ro-bind", "/", "/"];

/** Bubblewrap: programs see the system read-only, and of the files of the user only what the trial has. */
export const bwrap: SandboxKind = {
  name: "bwrap",
  keepsFilesApart: true,
  foldersOf: (place) => Object.values(privateFolders(place)),
  holdNetwork: ["bwrap", ...ownNetwork, "--", "/bin/sh", "-c", "echo $$; exec cat"],
  enterNetwork: (holder) => ["nsenter", "--target", holder, "--user", "--net", "--preserve-credentials", "--"],
  wrap: wrapWithBwrap,
};

/** Folders of a place that the sandbox shows as `/tmp` and `/dev/shm`. */
function privateFolders({ parent }: SandboxPlace): { tmp: string; shm: string } {
  return { tmp: path.join(parent, "tmp"), shm: path.join(parent, "shm") };
}

function wrapWithBwrap(place: SandboxPlace, program: Line): Line {
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
  return ["bwrap", ...options.flat(), "--", ...aroundProgram(program)];
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

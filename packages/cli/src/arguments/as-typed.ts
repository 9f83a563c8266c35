/** Writes the commands in product text, such as `kindlm test`, in the form that works where the program was started. */
export type AsTyped = (text: string) => string;

/** How this process was started. */
export interface Started {
  env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  cwd: string;
  /** The file that Node was given. Default: unknown. */
  script?: string | undefined;
}

/** What runs a program of a project, and what runs one that no project has installed. */
const runners: Readonly<Record<string, { local: string; fetched: string }>> = {
  npm: { local: "npx kindlm", fetched: "npx @kindlm/cli" },
  pnpm: { local: "pnpm kindlm", fetched: "pnpm dlx @kindlm/cli" },
  yarn: { local: "yarn kindlm", fetched: "yarn dlx @kindlm/cli" },
  bun: { local: "bunx kindlm", fetched: "bunx @kindlm/cli" },
};

/**
 * A program alone is written in lower case only where it is a command, and only the product's own words come here. Those
 * that came here before stay as they are.
 */
const command = /(?<![\w"'/@.:-]|\b(?:npx|pnpm|yarn|bunx) )kindlm(?= [a-z-]|$)/g;

export function createAsTyped(started: Started): AsTyped {
  const program = findProgram(started);
  return (text) => text.replaceAll(command, () => program);
}

/**
 * What to type for `kindlm` here, such as `npx kindlm`. A program that lies in no project is called by its name alone; a
 * program started from a folder on the PATH is too, unless a package manager has put that folder there.
 */
function findProgram({ env, cwd, script = "" }: Started): string {
  const manager = managerOf(env);
  const path = toSlashes(script);
  if (isFetched(path)) return runners[manager ?? "npm"]?.fetched ?? "kindlm";
  if (!isOfProject(path, toSlashes(cwd)) || (manager === null && isOnPath(path, env))) return "kindlm";
  return runners[manager ?? "npm"]?.local ?? "kindlm";
}

/** The package manager that started this process, by what npm and all others set, such as `pnpm/12.1.0 npm/? node/…`. */
function managerOf(env: Started["env"]): string | null {
  const [name = ""] = (env["npm_config_user_agent"] ?? "").split("/");
  const known = [name, ...(env["npm_execpath"] ?? "").split(/[\\/]/).toReversed()];
  return (
    known.map((one) => one.replace(/(-cli)?\.[cm]?js$|\.exe$/, "")).find((one) => Object.hasOwn(runners, one)) ?? null
  );
}

/** In the folders of `npx`, `pnpm dlx`, `yarn dlx`, and `bunx`, which are gone or unknown afterwards. */
function isFetched(path: string): boolean {
  return /\/(_npx|dlx|dlx-\d+|bunx-[^/]+)\/(.*\/)?(node_modules|\.yarn)\//.test(path);
}

function isOfProject(path: string, cwd: string): boolean {
  const [, folder] = /^(.*?)\/(?:node_modules|\.yarn)\//.exec(path) ?? [];
  return folder !== undefined && `${cwd}/`.startsWith(`${folder}/`);
}

function isOnPath(path: string, env: Started["env"]): boolean {
  const folders = toSlashes(env["PATH"] ?? "").split(/[:;]/);
  return folders.includes(path.slice(0, path.lastIndexOf("/")));
}

function toSlashes(path: string): string {
  return path.replaceAll("\\", "/");
}

import { existsSync } from "node:fs";
import path from "node:path";

/** The program that runs the lines of a model: bash, or where there is none, the shell of the system. */
export function findShell(searchPath = "/usr/bin:/bin"): string {
  const places = ["/bin", "/usr/bin", ...searchPath.split(":").filter(path.isAbsolute)];
  return places.map((folder) => path.join(folder, "bash")).find((file) => existsSync(file)) ?? "/bin/sh";
}

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The program of a worker: next to the file that starts it in the package, and among the compiled files in a checkout. */
export function workerFile(startedBy: string, name: string): string {
  const own = fileURLToPath(new URL(`./${name}`, startedBy));
  return existsSync(own) ? own : own.replace("/src/", "/build/");
}

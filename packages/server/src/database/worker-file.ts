import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * The program of a worker: next to the file that starts it in the package. A checkout has it bundled too, which loads in half
 * the time that its compiled files take.
 */
export function workerFile(startedBy: string, name: string): string {
  const own = fileURLToPath(new URL(`./${name}`, startedBy));
  const bundled = fileURLToPath(new URL(`../../dist/${name}`, startedBy));
  return [bundled, own].find((file) => existsSync(file)) ?? own.replace("/src/", "/build/");
}

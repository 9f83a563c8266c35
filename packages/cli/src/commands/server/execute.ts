import { attemptSync } from "@kindlm/core/program";
import { fork } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { UsageError } from "../../errors/usage-error.js";
import type { InvocationOf } from "../command-definition.js";
import type { serverCommand } from "./command.js";

/** The server is a separate package, so whoever runs tests does not install it. Ends as the server ends. */
export async function execute({ args, environment }: InvocationOf<typeof serverCommand>): Promise<number> {
  const { cwd, env, onInterrupt } = environment;
  const places = [join(cwd, "package.json"), import.meta.url];
  const program = places.map(findServer).find((found) => found !== null);
  if (program === undefined) {
    throw new UsageError("@kindlm/server is not installed", "Start it with: npx @kindlm/server");
  }
  const server = fork(program, args, { cwd, env: { ...env }, stdio: "inherit", execArgv: [] });
  // A terminal sends Ctrl-C to the server as well, which takes each of its signals once as the request to stop.
  const forgetInterrupt = onInterrupt(() => {
    server.kill("SIGTERM");
    return true;
  });
  const code = await new Promise<number | null>((resolve) => {
    server.once("exit", resolve);
    server.once("error", () => resolve(null));
  });
  forgetInterrupt();
  return code ?? 1;
}

/** @param from - the file or URL from which the package is looked up */
function findServer(from: string): string | null {
  const manifest = attemptSync(
    () => createRequire(from).resolve("@kindlm/server/package.json"),
    () => null,
  );
  return manifest.success ? join(dirname(manifest.data), "dist", "bin.js") : null;
}

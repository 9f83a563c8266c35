#!/usr/bin/env node
import module from "node:module";
import { dirname, join } from "node:path";
import { CompileCache } from "./process/compile-cache.js";
import type { start } from "./start.js";
import { version } from "./version.js";

// This file is bundled as CommonJS, since Node spends a fifth of its start-up on the first ECMAScript module. So it
// can await nothing.
/** `start` is in the other bundle of this package. */
const requireBundle: (file: string) => { start: typeof start } = module.createRequire(__filename);

const argv = process.argv.slice(2);
if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
  process.stdout.write(`${version}\n`);
} else {
  // Next to the code itself, since whoever can write there can change the code anyway; Node's own place for it is a folder
  // that everyone may make. Where the folder cannot be written there is no cache.
  const cache = new CompileCache(join(dirname(__dirname), ".cache"));
  cache.install();
  const today = new Date().toISOString().slice(0, 10);
  void requireBundle("./start.cjs").start(argv, () => {
    cache.write(today, () => [process.cwd(), String(process.exitCode), ...argv]);
  });
}

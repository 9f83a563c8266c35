import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
export const root = dirname(here);
export const cli = join(root, "packages", "cli", "dist", "bin.js");

/** The user's own environment, the same for both sides of every ratio, without a live display. */
const env = { ...process.env, CI: "1", NO_COLOR: "1", DEBUG: "" };

/** Wall time of one process, milliseconds. A process that ends otherwise than expected is no measurement. */
export function wallMs(args, { cwd = root, status = 0 } = {}) {
  const from = performance.now();
  const done = spawnSync(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], maxBuffer: 2 ** 28 });
  const ms = performance.now() - from;
  if (done.status !== status) {
    throw new Error(`node ${args.join(" ")} ended with ${done.status}:\n${done.stdout}\n${done.stderr}`);
  }
  return ms;
}

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** Medians of several commands, taken in turn so that a slow moment of the machine hits all of them. */
export function medians(commands, times) {
  const taken = commands.map(() => []);
  for (let round = 0; round < times; round += 1) {
    commands.forEach((measure, index) => taken[index].push(measure()));
  }
  return taken.map(median);
}

export const nodeAlone = () => wallMs(["-e", "0"]);

export function inTempFolder(action) {
  const folder = mkdtempSync(join(tmpdir(), "kindlm-bench-"));
  const cleanUp = () => rmSync(folder, { recursive: true, force: true });
  return Promise.resolve(action(folder)).finally(cleanUp);
}

/** Starts a server of this folder in its own process and waits for its port. */
export async function startServer(argument, file = "server.js") {
  const child = spawn(process.execPath, [join(here, file), String(argument)], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const port = await new Promise((resolve, reject) => {
    child.stdout.once("data", (chunk) => resolve(Number(String(chunk).trim())));
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return { url: `http://127.0.0.1:${port}/v1`, stop: () => child.kill() };
}

export function row(what, measured, limit, detail) {
  return { what, measured: Number(measured.toFixed(2)), limit, reached: measured <= limit, detail };
}

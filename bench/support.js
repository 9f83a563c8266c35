import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { calibrate, referenceMs } from "./reference-speed.js";

export const here = dirname(fileURLToPath(import.meta.url));
export const root = dirname(here);
export const cli = join(root, "packages", "cli", "dist", "bin.cjs");

/**
 * What both sides of every ratio find in their environment. NODE_EXTRA_CA_CERTS alone doubles the time of a bare Node,
 * and with it flatters every ratio; NODE_OPTIONS, proxies and colors change what is measured.
 */
const inherited = ["PATH", "HOME", "USERPROFILE", "SYSTEMROOT", "LOCALAPPDATA", "TMPDIR", "TEMP", "TMP", "LANG"];
const env = {
  ...Object.fromEntries(
    inherited.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  ),
  CI: "1",
  NO_COLOR: "1",
};

/** Runs one Node process to its end. One that ends otherwise than expected is no measurement. */
export function runNode(args, { cwd = root, status = 0, more = {} } = {}) {
  const options = { cwd, env: { ...env, ...more }, stdio: ["ignore", "pipe", "pipe"], maxBuffer: 2 ** 28 };
  const done = spawnSync(process.execPath, args, options);
  if (done.status !== status) {
    throw new Error(`node ${args.join(" ")} ended with ${done.status}:\n${done.stdout}\n${done.stderr}`);
  }
  return done.stdout;
}

/** Wall time of one process, milliseconds. */
export function wallMs(args, options) {
  const from = performance.now();
  runNode(args, options);
  return performance.now() - from;
}

/** Wall time, CPU time and peak memory of one process. */
export async function usageOf(args, options) {
  return inTempFolder((folder) => {
    const file = join(folder, "usage.json");
    const probed = ["--require", join(here, "usage-probe.cjs"), ...args];
    const wall = wallMs(probed, { ...options, more: { KINDLM_BENCH_USAGE: file } });
    return { wallMs: wall, ...JSON.parse(readFileSync(file, "utf8")) };
  });
}

/** How many times as long as on the reference machine a process computes now. */
export function slowdownNow() {
  const taken = Array.from({ length: 7 }, calibrate);
  return Math.max(1, median(taken) / referenceMs);
}

/**
 * The command line keeps what it has compiled for the first uses of a day, as one that was installed for one project has
 * them. The tests and other figures are uses, too, and would take all places.
 */
export function forgetCompiled() {
  rmSync(join(root, "packages", "cli", ".cache"), { recursive: true, force: true });
}

/** What a program of this folder prints when it is done. */
export const runProgram = (file, ...args) => String(runNode([join(here, file), ...args.map(String)]));

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** What each of several commands gave, taken in turn so that a slow moment of the machine hits all of them. */
export async function inTurn(commands, times) {
  const taken = commands.map(() => []);
  for (let round = 0; round < times; round += 1) {
    for (const [index, measure] of commands.entries()) taken[index].push(await measure());
  }
  return taken;
}

export const medians = async (commands, times) => (await inTurn(commands, times)).map(median);

export const nodeAlone = ["-e", "0"];

/** The wall time of a command ÷ that of a bare Node. */
export async function againstNode(args, times, options) {
  const [kindlm, node] = await medians([() => wallMs(args, options), () => wallMs(nodeAlone)], times);
  return figure(kindlm / node, `${ms(kindlm)} ÷ ${ms(node)}`);
}

export async function inTempFolder(action) {
  const folder = mkdtempSync(join(tmpdir(), "kindlm-bench-"));
  try {
    return await action(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A server of this folder with these arguments in its own process, and a folder for configs, as long as the action takes. */
export async function withServer(args, action, file = "server.js") {
  const child = spawn(process.execPath, [join(here, file), ...args.map(String)], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const port = await new Promise((resolve, reject) => {
      child.stdout.once("data", (chunk) => resolve(Number(String(chunk).trim())));
      child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
    });
    return await inTempFolder((folder) => action(`http://127.0.0.1:${port}/v1`, folder));
  } finally {
    child.kill();
  }
}

export const ms = (value) => `${value.toFixed(value < 10 ? 3 : 0)} ms`;

/** A measured value, and what it was made of. */
export const figure = (value, detail) => ({ value, detail });

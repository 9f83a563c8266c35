import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { places } from "./anywhere/places.js";

/**
 * Runs the tests in a copy of this folder, in every place of scripts/anywhere/places.js or in some:
 *   pnpm test:anywhere
 *   pnpm test:anywhere ordinary-user umask-077 -- test/full-disk.test.ts
 * Ends with a table of what passed, what failed and what could not be tested there.
 */

const root = resolve(import.meta.dirname, "..");
const given = process.argv.slice(2).filter((argument) => argument !== "--");
const isPlace = (argument) => places.some(({ name }) => name === argument);
const names = given.filter(isPlace);
const files = given.filter((argument) => !isPlace(argument));
const chosen = names.length === 0 ? places : places.filter(({ name }) => names.includes(name));

const base = mkdtempSync(join(tmpdir(), "kindlm-anywhere-"));
const copy = join(base, "copy");
try {
  mkdirSync(copy);
  const entries = readdirSync(root).filter((name) => name !== ".git");
  change("cp", "-a", ...entries.map((name) => join(root, name)), copy);
  const outcomes = chosen.map((place) => ({ name: place.name, ...tryPlace(place) }));
  console.log(`\n${outcomes.map(renderOutcome).join("\n")}`);
  if (outcomes.some(({ missing, failed }) => missing === undefined && failed !== 0)) process.exitCode = 1;
} finally {
  rmSync(base, { recursive: true, force: true });
}

/** The counts of the tests; a run that broke off counts as one failed test. */
function tryPlace({ folder = "clone", user, permissions, through = [], script, environment, missing }) {
  const reason = missing?.() ?? null;
  if (reason !== null) return { missing: reason };
  const home = join(base, "place");
  const [clone, extra] = [join(home, folder), join(home, "extra")];
  mkdirSync(extra, { recursive: true });
  renameSync(copy, clone);
  const summary = join(clone, "summary.json");
  try {
    const own = user === undefined ? {} : { HOME: extra };
    const env = { ...process.env, KINDLM_TEST_SUMMARY: summary, ...own, ...environment?.(extra) };
    if (permissions !== undefined) change("chmod", "-R", permissions, home);
    if (user !== undefined) change("chown", "-R", `${user}:${user}`, base);
    const shell = script === undefined ? [] : ["bash", "-c", script, "bash"];
    const vitest = ["node_modules/vitest/vitest.mjs", "run", "--project=suite", ...files];
    const [program, ...args] = [...asUser(user), ...through, ...shell, process.execPath, ...vitest];
    const { status } = spawnSync(program, args, { cwd: clone, env, stdio: "inherit" });
    const counts = readSummary(summary);
    return { ...counts, failed: Math.max(counts.failed, status === 0 ? 0 : 1) };
  } finally {
    renameSync(clone, copy);
    if (user !== undefined) change("chown", "-R", "0:0", base);
    if (permissions !== undefined) change("chmod", "-R", "go+rX", base);
    rmSync(home, { recursive: true });
    rmSync(join(copy, "summary.json"), { force: true });
  }
}

function asUser(user) {
  return user === undefined ? [] : ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups"];
}

function change(program, ...args) {
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr}`);
}

function readSummary(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return { passed: 0, failed: 1, untested: [] };
  }
}

function renderOutcome({ name, missing, passed, failed, untested }) {
  if (missing !== undefined) return `${name.padEnd(15)} not tried: ${missing}`;
  const notes = untested.map((note) => `\n${" ".repeat(15)} not tested: ${note}`);
  return `${name.padEnd(15)} ${passed} passed, ${failed} failed${notes.join("")}`;
}

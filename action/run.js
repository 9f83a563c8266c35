import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { addSummary, annotation, headShaOf, readEvent, readReport, regressionsIn, setOutputs } from "./workflow.js";

/**
 * The first half of the action: runs the tests, or merges the runs of shards, and writes the reports, the summary of the
 * job, annotations and outputs. It ends with 0 whatever became of the tests: the last step of the action has their exit code.
 */

const { env } = process;
const cwd = resolve(env.GITHUB_WORKSPACE || ".", env.INPUT_WORKING_DIRECTORY || ".");
const reporters = {
  json: "report.json",
  html: "report.html",
  junit: "junit.xml",
  markdown: "summary.md",
  "pr-comment": "comment.md",
  github: "annotations.txt",
};

/** Something that the user of the action must fix. */
class InputError extends Error {}

async function run(folder) {
  const merge = linesOf(env.INPUT_MERGE);
  const isMerge = merge.length > 0;
  const flags = [
    ...linesOf(env.INPUT_CONFIG).flatMap((path) => ["--config", path]),
    ...(isMerge || !env.INPUT_MAX_COST ? [] : ["--max-cost", env.INPUT_MAX_COST]),
    ...(isMerge || !env.INPUT_CASSETTE ? [] : ["--cassette", env.INPUT_CASSETTE]),
    ...wordsOf(env.INPUT_ARGS ?? ""),
  ];
  const reports = Object.entries(reporters).flatMap(([name, file]) => ["--reporter", `${name}=${join(folder, file)}`]);
  if (env.INPUT_BASELINE) takeBaselines(env.INPUT_BASELINE);
  const program = findProgram();
  // The CLI takes the commit of the work tree, which is that of a merge. Agents under test have no use for the token.
  const { INPUT_TOKEN: _token, ...others } = env;
  const child = {
    ...others,
    KINDLM_COMMIT: headShaOf(readEvent(env), env),
    ...(env.INPUT_BASELINE ? { KINDLM_BASELINE_BRANCH: env.INPUT_BASELINE } : {}),
  };
  return start(program, [isMerge ? "merge" : "test", ...merge, ...flags, ...reports], child);
}

function linesOf(text) {
  return (text ?? "").split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
}

/** Words as in a POSIX shell, of which nothing but quotes and backslashes is known: no variable, no command. */
function wordsOf(text) {
  const words = [];
  const pieces = /\s+|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)|(.)/gs;
  let word = null;
  for (const [piece, single, double, escaped, plain, stray] of text.matchAll(pieces)) {
    if (stray !== undefined) throw new InputError(`args: the quote ${stray} is not closed in: ${text}`);
    if (piece.trim() === "" && single === undefined && double === undefined) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? "") + (single ?? double?.replaceAll(/\\(["\\$`])/g, "$1") ?? escaped ?? plain ?? "");
  }
  return word === null ? words : [...words, word];
}

/**
 * Replaces the baselines in the checkout by those of the branch: a pull request that saves a baseline of its own is
 * compared with what the branch has.
 */
function takeBaselines(branch) {
  if (!/^[\w.][\w./-]*$/.test(branch)) throw new InputError(`baseline: "${branch}" is not the name of a branch`);
  const ref = `refs/heads/${branch}`;
  const fetched = git(["fetch", "--no-tags", "--depth=1", "origin", ref], {});
  if (fetched.status !== 0 && git(["fetch", "--no-tags", "--depth=1", "origin", ref], tokenForGit()).status !== 0) {
    throw new InputError(`baseline: the branch ${branch} cannot be fetched: ${fetched.stderr.trim()}`);
  }
  const paths = ":(top,glob)**/.kindlm/baselines/*.json";
  const isThere = ({ stdout }) => stdout.trim() !== "";
  const here = isThere(git(["ls-files", "--", paths], {}));
  const there = git(["ls-tree", "-r", "--name-only", "--full-tree", "FETCH_HEAD"], {}).stdout;
  if (!here && !/(^|\/)\.kindlm\/baselines\/[^/]+\.json$/m.test(there)) {
    console.log(`The branch ${branch} has no baseline`);
    return;
  }
  const restored = git(["restore", "--source=FETCH_HEAD", "--worktree", "--", paths], {});
  if (restored.status !== 0) throw new InputError(`baseline: ${restored.stderr.trim()}`);
}

function git(args, more) {
  const { status, stdout, stderr, error } = spawnSync("git", args, {
    cwd,
    env: { ...env, ...more },
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  if (error !== undefined) throw new InputError(`baseline: git cannot be started: ${error.message}`);
  return { status, stdout, stderr };
}

/** Not on the command line, where other processes see it. Used where the checkout kept no credentials. */
function tokenForGit() {
  const credentials = Buffer.from(`x-access-token:${env.INPUT_TOKEN ?? ""}`).toString("base64");
  return {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `http.${env.GITHUB_SERVER_URL || "https://github.com"}/.extraheader`,
    GIT_CONFIG_VALUE_0: `AUTHORIZATION: basic ${credentials}`,
  };
}

/** The version that is asked for, else that of the project, else the one that the action was released with. */
function findProgram() {
  const version = env.INPUT_VERSION;
  if (!version) {
    for (let folder = cwd; ; folder = dirname(folder)) {
      const found = binIn(folder);
      if (found !== null) return found;
      if (folder === dirname(folder)) break;
    }
  }
  if (version && !/^[\w.^~-]+$/.test(version)) throw new InputError(`version: "${version}" is not a version`);
  const own = JSON.parse(readFileSync(new URL("../packages/cli/package.json", import.meta.url), "utf8"));
  return install(`@kindlm/cli@${version || own.version}`);
}

function binIn(folder) {
  const place = join(folder, "node_modules", "@kindlm", "cli");
  if (!existsSync(join(place, "package.json"))) return null;
  return join(place, JSON.parse(readFileSync(join(place, "package.json"), "utf8")).bin.kindlm);
}

function install(name) {
  const folder = mkdtempSync(join(env.RUNNER_TEMP || tmpdir(), "kindlm-"));
  console.log(`Installing ${name}`);
  // On Windows npm is a script, which only a shell starts; there is nothing to quote in these words.
  const { status } = spawnSync("npm", ["install", "--no-audit", "--no-fund", "--prefix", ".", name], {
    cwd: folder,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  const found = binIn(folder);
  if (status !== 0 || found === null) throw new InputError(`${name} could not be installed`);
  return found;
}

function start(program, args, childEnv) {
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: childEnv,
    stdio: ["ignore", "inherit", "inherit"],
  });
  // A job that is cancelled gets a signal, upon which the run ends with partial reports.
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  return new Promise((done, fail) => {
    child.on("error", fail);
    child.on("close", (code) => done(code ?? 1));
  });
}

/** What other steps can read; `report` is the folder with all reports. */
function outputsOf(folder, report, exitCode) {
  const { passed = 0, failed = 0, errored = 0, passRate = null, costUsd = null } = report?.summary ?? {};
  const shard = report?.run.shard;
  const suffix = shard === undefined ? "" : `-shard-${shard.index}-of-${shard.of}`;
  return {
    "exit-code": exitCode,
    verdict: report?.verdict ?? "failed",
    passed,
    failed,
    errored,
    "pass-rate": passRate ?? "",
    regressions: report === null ? 0 : regressionsIn(report),
    cost: costUsd ?? "",
    report: folder,
    "artifact-name": `${env.INPUT_ARTIFACT_NAME || "kindlm-report"}${suffix}`,
  };
}

/** The merge needs the run itself. It is next to the config, or where `--root` says. */
function keepShard(folder, { run: { id, shard } }) {
  if (shard === undefined) return;
  const roots = [
    cwd,
    ...linesOf(env.INPUT_CONFIG).flatMap((path) => [resolve(cwd, path), dirname(resolve(cwd, path))]),
  ];
  const root = /--root[= ]\s*(\S+)/.exec(env.INPUT_ARGS ?? "")?.[1];
  const all = root === undefined ? roots : [resolve(cwd, root), ...roots];
  const found = all.map((place) => join(place, ".kindlm", "runs", id)).find((place) => existsSync(place));
  if (found === undefined) throw new InputError(`The run ${id} of this shard was not found, so it cannot be merged`);
  cpSync(found, join(folder, "runs", id), { recursive: true });
}

function show(folder, report) {
  if (report === null) {
    addSummary("### ! KindLM could not run\n\nNo report was written. The log of the job says why.", env);
    return;
  }
  addSummary(readFileSync(join(folder, reporters.markdown), "utf8"), env);
  process.stdout.write(readFileSync(join(folder, reporters.github), "utf8"));
}

const parent = env.RUNNER_TEMP || tmpdir();
mkdirSync(parent, { recursive: true });
const folder = mkdtempSync(join(parent, "kindlm-report-"));
let exitCode = 1;
let report = null;
try {
  exitCode = await run(folder);
  report = readReport(folder);
  show(folder, report);
  if (report !== null) keepShard(folder, report);
} catch (error) {
  exitCode = 1;
  process.stdout.write(annotation("error", error instanceof InputError ? error.message : `${error.stack}`));
}
setOutputs(outputsOf(folder, report, exitCode), env);

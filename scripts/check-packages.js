import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { checkServer } from "./check-server.js";
import { checkVitest } from "./check-vitest.js";
import { weigh } from "./weigh-packages.js";

/**
 * Packs all packages, lets publint and attw look at them, installs them with npm into empty folders, runs what was
 * installed, and counts what came along. Needs the build, and the registry for the dependencies. Arguments are further
 * programs of Node, such as /opt/node26/bin/node, that run what was installed too.
 */

const limits = { packages: 20, mebibytes: 15 };
const packages = ["packages/core", "packages/cli"];
/** What is not code, and must be there all the same. */
const needed = {
  "packages/core": ["LICENSE", "README.md"],
  "packages/server": [
    "LICENSE",
    "README.md",
    "dist/database.tar.gz",
    "dist/pages.json",
    "dist/pglite-worker.js",
    "dist/upload-worker.js",
  ],
  "packages/vitest": ["LICENSE", "README.md"],
  "packages/cli": [
    "LICENSE",
    "README.md",
    "schema.json",
    "templates/agent/kindlm.yaml",
    "dist/examples/ci-regression/.kindlm/baselines/refunds.json",
    "completions/kindlm.bash",
  ],
};
const run = promisify(execFile);
const npm = process.platform === "win32" ? "npm.cmd" : "npm";

/** One test, its answer scripted: no key and no network. */
const offlineConfig = `version: 1
models:
  - id: stand-in
    provider: scripted
    script:
      rules:
        - reply: { text: "Order ORD-1 was delivered." }
suites:
  - name: smoke
    models: [stand-in]
    tests:
      - name: answers
        input: Where is order ORD-1?
        assert:
          - { type: contains, value: delivered }
`;

/** Of the library: each is a subpath of its package. */
const useCases = (await readdir("packages/core/src/commands"))
  .filter((file) => /^[a-z-]+\.ts$/.test(file))
  .map((file) => basename(file, ".ts"));

/** A program of a user: the documented imports, compiled with every declaration checked, and run. */
const userProgram = `import { defineCheck, evaluateAssertion, matchValue, runTests, type RunResult } from "@kindlm/core";
import { listRuns, type RunListing } from "@kindlm/core/commands/runs";
${useCases.map((name, index) => `import * as useCase${index} from "@kindlm/core/commands/${name}";`).join("\n")}
const useCases = [${useCases.map((_, index) => `useCase${index}`).join(", ")}];
export const isPolite = defineCheck((trial) => (trial.output ?? "").includes("please"));
const judged = await evaluateAssertion({ assertion: { type: "contains", value: "x" }, trial: { output: "axb" } });
// @ts-expect-error a misspelt type does not compile
await evaluateAssertion({ assertion: { type: "contain", value: "x" }, trial: {} });
const matched = matchValue({ total: { $gt: 10 } }, { total: 11 });
const ran = await runTests({ paths: ["kindlm.yaml"] });
const result: RunResult | null = ran.success ? ran.data : null;
const listed: readonly RunListing[] = await listRuns({ paths: ["kindlm.yaml"] }, { cwd: "." });
if (!judged.success || !judged.data.pass || !matched.pass || result?.verdict !== "passed" || listed.length === 0 || useCases.length === 0) throw new Error("not passed");
`;

const folder = await mkdtemp(join(tmpdir(), "kindlm-packages-"));
try {
  const problems = await check(folder);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true });
}

async function check(root) {
  const all = [...packages, "packages/server", "packages/vitest"];
  const [core, cli, server, vitest] = await Promise.all(all.map((path) => pack(path, root)));
  const tarballs = [core, cli];
  const problems = await Promise.all([
    install(root, tarballs),
    checkVitest(join(root, "sample"), [...tarballs, vitest]),
    checkServer(join(root, "server"), [...tarballs, server]),
    ...all.map(present),
    ...[core, cli, vitest].map(lint),
  ]);
  return problems.flat();
}

/** What the page of a package on the registry shows. */
async function present(path) {
  const manifest = JSON.parse(await readFile(join(path, "package.json"), "utf8"));
  const readme = await readFile(join(path, "README.md"), "utf8");
  const { name, description = "", keywords = [], license, homepage, repository, bugs } = manifest;
  const shown = {
    "a description": description.length > 20,
    "10 keywords": new Set(keywords).size >= 10,
    "a license": license === "MIT",
    "a homepage": new URL(homepage).protocol === "https:",
    "a repository with its folder": /^git\+https:.*\.git$/.test(repository?.url) && repository.directory === path,
    "an address for bugs": new URL(bugs?.url).protocol === "https:",
    "a README that names, installs, and shows it": [`# ${name}\n`, "npm install --save-dev", "```"].every((part) =>
      readme.includes(part),
    ),
  };
  return Object.entries(shown).flatMap(([what, isThere]) => (isThere ? [] : [`${path} lacks ${what}`]));
}

/** From a folder in which nothing but the packages is installed to green tests with each template, on each version of Node. */
async function firstHour(project) {
  const problems = [];
  for (const [index, node] of [process.execPath, ...process.argv.slice(2)].entries()) {
    const env = { PATH: `${dirname(resolve(node))}:${process.env.PATH}`, HOME: project, NO_COLOR: "1" };
    const npx = (...words) =>
      run("npx", ["--no-install", ...words], { cwd: project, env }).then(({ stdout }) => stdout);
    const version = (await npx("node", "--version")).trim();
    const names = (await npx("kindlm", "init", "--template", "list")).match(/^\w+/gm);
    const kindlm = (...words) => run("node_modules/.bin/kindlm", words, { cwd: project, env });
    const start = async (name) => {
      const dir = `${name}-${index}`;
      // What npx starts, without a second of npm each time.
      const printed = await kindlm("init", "--yes", "--template", name, "--dir", dir)
        .then(() => kindlm("test", `${dir}/kindlm.yaml`))
        .then((shown) => /Summary: .*/.exec(shown.stdout)?.[0])
        .catch(({ stdout, stderr }) => `failed: ${stdout}${stderr}`);
      const isGreen = /^Summary: [1-9]\d* passed, 0 failed, 0 errored, 0 skipped$/.test(printed);
      return isGreen ? [] : [`${version}, kindlm init --yes --template ${name} && kindlm test, ${printed}`];
    };
    const found = (await Promise.all(names.map(start))).flat();
    console.log(`packages: ${version}, npx kindlm init --yes --template ${names}, ${found.length} not green`);
    problems.push(...found);
  }
  return problems;
}

/** The problems of projects that install the packages, run them, and compile against them. */
async function install(root, tarballs) {
  const [project, first] = [join(root, "project"), join(root, "first")];
  await mkdir(project);
  await writeFile(join(project, "package.json"), '{ "name": "project", "private": true }\n');
  await writeFile(join(project, "kindlm.yaml"), offlineConfig);
  await run(npm, ["install", "--no-audit", "--no-fund", "--loglevel=error", ...tarballs], { cwd: project });
  for (const part of ["package.json", "node_modules"]) {
    await cp(join(project, part), join(first, part), { recursive: true, verbatimSymlinks: true });
  }
  const problems = (await Promise.all([runInstalled(project), compileAgainst(project), firstHour(first)])).flat();
  const installed = await weigh(join(project, "node_modules"));
  console.log(`packages: ${installed.packages} installed, ${installed.mebibytes.toFixed(1)} MiB`);
  for (const [what, limit] of Object.entries(limits)) {
    if (installed[what] > limit)
      problems.push(`${installed[what].toFixed(1)} ${what} installed, at most ${limit} wanted`);
  }
  return problems;
}

async function pack(path, destination) {
  const { stdout } = await run(npm, ["pack", "--json", "--pack-destination", destination], { cwd: path });
  const [{ filename, files }] = JSON.parse(stdout);
  const { version } = JSON.parse(await readFile(join(path, "package.json"), "utf8"));
  const stray = files.filter(
    (file) =>
      !/^(package\.json|LICENSE|README\.md|schema\.json|completions\/kindlm\.\w+|templates\/[\w./-]+|dist\/THIRD-PARTY-NOTICES\.md|dist\/(viewer|pages)\.json|dist\/database\.tar\.gz|dist\/examples\/.+|dist\/.*\.(c?js|d\.ts))$/.test(
        file.path,
      ),
  );
  const isTest = /^(?!dist\/examples\/).*(?:\.test\.|__fixtures__)/;
  const tests = files.filter((file) => isTest.test(file.path));
  if (stray.length + tests.length > 0) {
    throw new Error(`${path} would publish ${[...stray, ...tests].map((file) => file.path).join(", ")}`);
  }
  const missing = (needed[path] ?? []).filter((name) => files.every((file) => file.path !== name));
  if (missing.length > 0) throw new Error(`${path} would publish no ${missing.join(", ")}`);
  console.log(`packages: ${filename}, version ${version}, ${files.length} files`);
  return join(destination, filename);
}

async function lint(tarball) {
  const checks = [
    ["node_modules/publint/src/cli.js", ["run", tarball, "--strict"]],
    [
      "node_modules/@arethetypeswrong/cli/dist/index.js",
      [tarball, "--profile", "esm-only", "--no-color", "--no-emoji"],
    ],
  ];
  const found = await Promise.all(
    checks.map(([program, args]) =>
      run(process.execPath, [resolve(program), ...args]).then(
        () => [],
        ({ stdout, stderr }) => [`${program} ${args.join(" ")}\n${stdout}${stderr}`],
      ),
    ),
  );
  return found.flat();
}

async function runInstalled(project) {
  const { version } = JSON.parse(await readFile("packages/cli/package.json", "utf8"));
  const env = { PATH: process.env.PATH, HOME: project, NO_COLOR: "1" };
  const start = (...args) => run("npx", ["--no-install", "kindlm", ...args], { cwd: project, env });
  const printed = await start("--version");
  const problems = [];
  const server = await start("server").catch(({ stderr }) => stderr);
  if (server !== "✗ @kindlm/server is not installed\n  Start it with: npx @kindlm/server\n") {
    problems.push(`kindlm server without the server said ${JSON.stringify(server)}`);
  }
  if (printed.stdout.trim() !== version) problems.push(`kindlm --version printed ${printed.stdout}`);
  const report = await start("test", "--reporter", "json").then(
    ({ stdout }) => JSON.parse(stdout),
    ({ stdout, stderr }) => ({ failure: `${stdout}${stderr}` }),
  );
  if (report.summary?.passed !== 1 || report.exitCode !== 0) {
    problems.push(`kindlm test did not pass in an empty folder: ${report.failure ?? JSON.stringify(report.summary)}`);
  }
  return problems;
}

async function compileAgainst(project) {
  await writeFile(join(project, "program.mts"), userProgram);
  const options = [
    "--module",
    "nodenext",
    "--target",
    "es2023",
    "--strict",
    "--skipLibCheck",
    "false",
    "--typeRoots",
    ".",
  ];
  const tsc = [resolve("node_modules/typescript/bin/tsc"), ...options, "program.mts"];
  const failed = ({ stdout, stderr }) => [`a program that uses @kindlm/core does not work:\n${stdout}${stderr}`];
  return run(process.execPath, tsc, { cwd: project })
    .then(() => run(process.execPath, ["program.mjs"], { cwd: project }))
    .then(() => [], failed);
}

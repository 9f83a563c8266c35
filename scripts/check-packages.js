import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import process from "node:process";
import { promisify } from "node:util";

/**
 * Packs both packages, lets publint and attw look at them, installs them with npm into an empty folder, runs what was
 * installed, and counts what came along. Needs the build, and the registry for the dependencies.
 */

const limits = { packages: 60, mebibytes: 25 };
const packages = ["packages/core", "packages/cli"];
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
  const tarballs = await Promise.all(packages.map((path) => pack(path, root)));
  const problems = await Promise.all([...tarballs.map(lint), install(join(root, "project"), tarballs)]);
  return problems.flat();
}

/** The problems of a project that installs the packages, runs them, and compiles against them. */
async function install(project, tarballs) {
  await mkdir(project);
  await writeFile(join(project, "package.json"), '{ "name": "project", "private": true }\n');
  await writeFile(join(project, "kindlm.yaml"), offlineConfig);
  await run(npm, ["install", "--no-audit", "--no-fund", "--loglevel=error", ...tarballs], { cwd: project });
  const problems = (await Promise.all([runInstalled(project), compileAgainst(project)])).flat();
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
      !/^(package\.json|LICENSE|README\.md|dist\/THIRD-PARTY-NOTICES\.md|dist\/viewer\.json|dist\/.*\.(c?js|d\.ts))$/.test(
        file.path,
      ),
  );
  const tests = files.filter((file) => /\.test\.|__fixtures__/.test(file.path));
  if (stray.length + tests.length > 0) {
    throw new Error(`${path} would publish ${[...stray, ...tests].map((file) => file.path).join(", ")}`);
  }
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

/** How many packages there are, and their size, the small ones included that npm puts into others. */
async function weigh(modules) {
  let bytes = 0;
  let count = 0;
  for (const entry of await readdir(modules, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    bytes += (await stat(path)).size;
    if (/node_modules\/(@[^/]+\/)?[^/@.][^/]*\/package\.json$/.test(path.replaceAll("\\", "/"))) count += 1;
  }
  return { packages: count, mebibytes: bytes / 1024 / 1024 };
}

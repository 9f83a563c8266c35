import { execFile } from "node:child_process";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import process from "node:process";
import { promisify } from "node:util";

const run = promisify(execFile);
const npm = process.platform === "win32" ? "npm.cmd" : "npm";

/** The sample project of Vitest, installed, run, and compiled. */
export async function checkVitest(project, tarballs) {
  await cp("examples/vitest", project, { recursive: true });
  const { devDependencies } = JSON.parse(await readFile("package.json", "utf8"));
  const manifest = JSON.parse(await readFile(join(project, "package.json"), "utf8"));
  await writeFile(join(project, "package.json"), JSON.stringify({ ...manifest, devDependencies: {} }));
  const others = ["vitest", "@types/node"].map((name) => `${name}@${devDependencies[name]}`);
  const wanted = [...tarballs, ...others];
  await run(npm, ["install", "--no-audit", "--no-fund", "--loglevel=error", ...wanted], { cwd: project });
  const tsc = [resolve("node_modules/typescript/bin/tsc"), "--noEmit", "--module", "nodenext", "--target", "es2023"];
  const options = ["--strict", "--skipLibCheck", "--types", "node", "tests/agent.test.ts", "vitest.config.ts"];
  const failed = ({ stdout, stderr }) => [`the sample project of Vitest does not work:\n${stdout}${stderr}`];
  return run("npx", ["--no-install", "vitest", "run"], { cwd: project, env: { ...process.env, NO_COLOR: "1" } })
    .then(() => run(process.execPath, [...tsc, ...options], { cwd: project }))
    .then(() => [], failed);
}

import { execFile } from "node:child_process";
import { resolve } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import config from "../.dependency-cruiser.mjs";
import { findDeafRules } from "./boundary-canary.js";

/** Fails when a rule of .dependency-cruiser.mjs is broken, when a rule does not bite, or when nothing was looked at. */

const program = resolve("node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
const run = promisify(execFile);

async function cruise(folder) {
  const options = ["--config", resolve(".dependency-cruiser.mjs"), "--output-type", "json"];
  const { stdout } = await run(process.execPath, [program, "packages/core/src", "packages/cli/src", ...options], {
    cwd: folder,
    maxBuffer: 256 * 1024 * 1024,
  });
  const { modules, summary } = JSON.parse(stdout);
  return { modules, violations: summary.violations };
}

const { modules, violations } = await cruise(".");
const own = modules.filter(({ source }) => source.startsWith("packages/"));
for (const { rule, from, to } of violations) {
  const { comment } = config.forbidden.find(({ name }) => name === rule.name);
  console.error(`${from} → ${to}\n    ${rule.name}: ${comment}`);
}
const ruleNames = config.forbidden.map(({ name }) => name);
const deaf = await findDeafRules(ruleNames, cruise);
for (const name of deaf) console.error(`${name}: does not report its canary in scripts/boundary-canary.js`);
if (own.length === 0) console.error("No module was looked at: the paths or the TypeScript version are wrong");

const count = `${own.length} modules, ${violations.length} violations, ${ruleNames.length} rules`;
console.log(`boundaries: ${count}, ${ruleNames.length - deaf.length} of them proved by a canary`);
if (violations.length > 0 || deaf.length > 0 || own.length === 0) process.exitCode = 1;

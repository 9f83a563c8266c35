import { realpath } from "node:fs/promises";
import process from "node:process";
import { cruise as cruiseModules } from "dependency-cruiser";
import config from "../.dependency-cruiser.mjs";
import { findDeafRules } from "./boundary-canary.js";

/** Fails when a rule of .dependency-cruiser.mjs is broken, when a rule does not bite, or when nothing was looked at. */

/** It reads the config of no folder but the one it is in, so that it goes to the one it is to look at. */
async function cruise(folder) {
  process.chdir(await realpath(folder));
  const { output } = await cruiseModules(
    ["packages/core/src", "packages/cli/src", "packages/viewer/src", "packages/server/src", "packages/vitest/src"],
    {
      ruleSet: config,
      validate: true,
    },
  );
  return { modules: output.modules, violations: output.summary.violations };
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

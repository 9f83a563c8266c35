import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { layers } from "../.dependency-cruiser.mjs";

const core = "packages/core/src";
const cli = "packages/cli/src";
const viewer = "packages/viewer/src";
const server = "packages/server/src";
const vitest = "packages/vitest/src";
const packages = ["packages/core", "packages/cli", "packages/viewer", "packages/server", "packages/vitest"];
const fileOf = (layer) => (layer[0].includes(".") ? layer[0] : `${layer[0]}/canary.ts`);

/** For each layer a file that imports one of the layer above it. */
const upward = layers.slice(0, -1).map((layer, index) => ({
  rule: `down-only-${layer[0].replace(".ts", "")}`,
  from: `${core}/${fileOf(layer)}`,
  to: `${core}/${fileOf(layers[index + 1])}`,
}));

const members = ["assertions", "gates", "providers", "reporters", "targets", "tools"].map((family) => ({
  rule: `members-apart-${family}`,
  from: `${core}/${family}/one/one.ts`,
  to: `${core}/${family}/two/two.ts`,
}));

/** One forbidden import for each rule: a rule that does not see its canary would not see the real thing either. */
const canaries = [
  ...upward,
  ...members,
  { rule: "families-apart", from: `${core}/tools/canary.ts`, to: `${core}/providers/canary.ts` },
  { rule: "provider-contract-by-type", from: `${core}/assertions/canary.ts`, to: `${core}/providers/provider.ts` },
  { rule: "known-layer", from: `${core}/unknown/canary.ts`, to: `${core}/result.ts` },
  { rule: "leaves-apart", from: `${core}/redaction/canary.ts`, to: `${core}/matchers/canary.ts` },
  { rule: "registry-by-builders-only", from: `${core}/reporters/one/one.ts`, to: `${core}/reporters/registry.ts` },
  { rule: "no-cycles", from: `${core}/values/egg.ts`, to: `${core}/values/hen.ts` },
  { rule: "no-cycles", from: `${core}/values/hen.ts`, to: `${core}/values/egg.ts` },
  { rule: "no-orphans", from: `${core}/values/alone.ts` },
  { rule: "cli-uses-public-core", from: `${cli}/main.ts`, to: `${core}/result.ts` },
  { rule: "server-uses-public-core", from: `${server}/canary.ts`, to: `${core}/result.ts` },
  { rule: "nothing-imports-server", from: `${cli}/main.ts`, to: `${server}/canary.ts` },
  { rule: "vitest-uses-public-core", from: `${vitest}/canary.ts`, to: `${core}/result.ts` },
  { rule: "nothing-imports-vitest", from: `${cli}/main.ts`, to: `${vitest}/canary.ts` },
  { rule: "core-without-cli", from: `${core}/index.ts`, to: `${cli}/main.ts` },
  { rule: "core-without-terminal", from: `${core}/index.ts`, to: "picocolors" },
  { rule: "viewer-by-type", from: `${viewer}/canary.ts`, to: `${core}/index.ts` },
  { rule: "nothing-imports-viewer", from: `${cli}/main.ts`, to: `${viewer}/canary.ts` },
  { rule: "browser-libraries-in-viewer", from: `${cli}/main.ts`, to: "preact" },
  { rule: "nothing-imports-bin", from: `${cli}/main.ts`, to: `${cli}/bin.ts` },
  { rule: "members-apart-cli", from: `${cli}/commands/one/command.ts`, to: `${cli}/commands/two/command.ts` },
  { rule: "no-tests-in-sources", from: `${core}/index.ts`, to: `${core}/canary.test.ts` },
  { rule: "unit-tests-by-themselves", from: `${core}/canary.test.ts`, to: "test/canary.ts" },
  { rule: "no-dev-dependencies-in-sources", from: `${core}/index.ts`, to: "fast-check" },
  { rule: "no-unresolvable", from: `${core}/index.ts`, to: "not-there" },
  { rule: "heavy-libraries-lazily", from: `${core}/index.ts`, to: "undici" },
  { rule: "zod-deferred", from: `${core}/index.ts`, to: "zod" },
  { rule: "index-for-outsiders", from: `${core}/plan/canary.ts`, to: `${core}/index.ts` },
];

/**
 * Plants every canary in a folder of its own outside the project and lets `cruise` look at it.
 * Returns the rules of `ruleNames` that do not report theirs.
 */
export async function findDeafRules(ruleNames, cruise) {
  const root = await mkdtemp(join(tmpdir(), "kindlm-canary-"));
  try {
    await plant(root);
    const { violations } = await cruise(root);
    const isReported = ({ rule, from }) => violations.some((one) => one.rule.name === rule && one.from === from);
    return ruleNames.filter((name) => {
      const own = canaries.filter(({ rule }) => rule === name);
      return !own.some(isReported);
    });
  } finally {
    await rm(root, { recursive: true });
  }
}

async function plant(root) {
  const contents = new Map();
  for (const { from, to } of canaries) {
    const line = to === undefined ? "export {};" : `import "${specifierOf(from, to)}";`;
    contents.set(from, [...(contents.get(from) ?? []), line]);
    if (to?.endsWith(".ts") && !contents.has(to)) contents.set(to, []);
  }
  for (const [path, lines] of contents) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), `${lines.join("\n")}\nexport const value = 1;\n`);
  }
  for (const name of [".", ...packages]) {
    await symlink(resolve(name, "node_modules"), join(root, name, "node_modules"));
    await symlink(resolve(name, "package.json"), join(root, name, "package.json"));
  }
}

function specifierOf(from, to) {
  if (!to.endsWith(".ts")) return to;
  return `${"../".repeat(from.split("/").length - 1)}${to.replace(/\.ts$/, ".js")}`;
}

import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { copySamples, sampleMembers, scaffoldSamples } from "./sample-members.js";

/**
 * Whether what `pnpm new` writes compiles, a member of each family and its test. What does not lie beside a member is
 * found among the declarations that `pnpm check:types` has written.
 */

const root = resolve(import.meta.dirname, "..");
const folder = await mkdtemp(join(tmpdir(), "kindlm-scaffold-"));
const alone = join(folder, "alone");
const config = {
  extends: join(root, "tsconfig.base.json"),
  compilerOptions: {
    noEmit: true,
    declaration: false,
    // What helps the tests of the command line takes what helps those of core.
    rootDirs: [
      ...["core", "cli"].map((name) => `packages/${name}/src`),
      ...["core/dist", "cli/build"].map((built) => join(root, "packages", built)),
    ],
  },
  references: ["core", "cli"].map((name) => ({ path: join(root, "packages", name) })),
  // Of what helps tests only what these tests import.
  include: sampleMembers.map(([, , member]) => dirname(member)),
};

try {
  await scaffoldSamples(join(folder, "copy"));
  await copySamples(join(folder, "copy"), alone);
  await writeFile(join(alone, "tsconfig.json"), JSON.stringify(config));
  const program = join(root, "node_modules/typescript-native/bin/tsc");
  await promisify(execFile)(process.execPath, [program, "-p", join(alone, "tsconfig.json")]);
} catch (error) {
  console.error(error.stdout || error.message);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true });
}

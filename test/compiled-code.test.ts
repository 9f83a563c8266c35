import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { cliPath } from "./support/start-cli.js";

/** A run of so many trials has flags of its own, and is over after the first ones. */
const many = "runs: 1000, pass: 1, early_end: true, ";
const configOf = (more: string): string => `version: 1
models: [{ id: m, provider: scripted, script: { otherwise: { text: hello } } }]
suites:
  - name: s
    tests:
      - { name: t, input: hi, ${more}assert: [{ type: contains, value: hello }] }
`;

const project = makeProject({ "many.yaml": configOf(many), "one.yaml": configOf("") });
const installed = dirname(dirname(cliPath));
for (const name of ["dist", "node_modules"]) symlinkSync(join(installed, name), join(project, name));

/** Starts the program as if it were installed in a folder of its own, next to whose `dist` it keeps compiled code. */
function run(...args: readonly string[]): void {
  const here = ["--preserve-symlinks", "--preserve-symlinks-main", join(project, "dist", "bin.cjs")];
  execFileSync(process.execPath, [...here, "test", ...args], {
    cwd: project,
    env: { PATH: process.env["PATH"] ?? "" },
  });
}

const cache = join(project, ".cache");
const written = () => {
  const files = existsSync(cache) ? readdirSync(cache) : [];
  return Object.fromEntries(files.map((file) => [file, statSync(join(cache, file)).mtimeMs]));
};

it("keeps compiled code that runs of any size can use, although large ones set flags of V8", () => {
  run("-c", "many.yaml", "--no-journal");
  const ofMany = Object.keys(written());
  expect(ofMany.length).toBeGreaterThan(0);
  // Each way in which the program is used adds once to what is kept.
  run("-c", "one.yaml", "--no-journal");
  const ofBoth = written();
  expect(Object.keys(ofBoth)).toEqual(ofMany);
  run("-c", "many.yaml", "--no-journal");
  // An entry that V8 refuses is written anew.
  expect(written()).toEqual(ofBoth);
});

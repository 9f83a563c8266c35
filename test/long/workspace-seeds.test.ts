import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeProject } from "../../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "../support/run-cli.js";

const trials = 1_000;
const concurrency = 4;
const files = 200;
const fileBytes = 250_000;

it("1,000 trials of a 50 MB tree leave the seed as it was, and no more trees than run at a time", async () => {
  const cwd = makeProject({ "kindlm.yaml": config() });
  const temporary = makeProject({});
  const seed = join(cwd, "seed");
  mkdirSync(seed);
  for (let file = 0; file < files; file += 1)
    writeFileSync(join(seed, `${file}.txt`), `${file} `.repeat(fileBytes / 4));
  const before = hashOf(seed);
  let most = 0;
  const watching = setInterval(() => {
    most = Math.max(most, readdirSync(temporary).length);
  }, 20);
  const ran = await runCli(["test", "--concurrency", `${concurrency}`], { cwd, env: { TMPDIR: temporary, ...path } });
  clearInterval(watching);
  expect(ran.stdout).toContain(`${trials}/${trials}`);
  expect(hashOf(seed)).toBe(before);
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(concurrency);
  expect(readdirSync(temporary)).toEqual([]);
});

const path = { PATH: process.env["PATH"] ?? "" };

/** The agent writes into files as they are, as a hard link or a shared file would pass on to the seed. */
function config(): string {
  return JSON.stringify({
    version: 1,
    suites: [
      {
        name: "seeds",
        workspace: { from: "seed" },
        target: { command: "for f in 1*.txt; do echo changed >> $f; done; rm 2*.txt; echo Done", shell: true },
        tests: [
          {
            name: "appends",
            runs: trials,
            input: "Append",
            assert: [
              { type: "contains", value: "Done" },
              { type: "files_changed", at_least: ["1.txt", "199.txt", "2.txt"] },
            ],
          },
        ],
      },
    ],
  });
}

function hashOf(folder: string): string {
  const hash = createHash("sha256");
  for (const name of readdirSync(folder)) hash.update(name).update(readFileSync(join(folder, name)));
  return hash.digest("hex");
}

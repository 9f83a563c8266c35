import { readdirSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { makeProject, type ProjectFiles } from "../../packages/core/src/__fixtures__/make-project.js";
import { runCli, type CliOutcome } from "./run-cli.js";

export const check = "assert: [{ type: contains, value: hello }]";

/** A project whose model always says one thing, with these tests. */
export const single = (text: string, tests = `[{ name: t, input: hi, ${check} }]`): ProjectFiles => ({
  "kindlm.yaml": `version: 1
models: [{ id: m, provider: scripted, script: s.yaml }]
suites: [{ name: s, tests: ${tests} }]
`,
  "s.yaml": `otherwise: { text: ${text} }`,
});

export interface Jobs {
  /** Where the run folders of all shards are, as a CI system collects them. */
  artifacts: string;
  /** What each shard printed. */
  outcomes: readonly CliOutcome[];
}

/** Runs every shard in a checkout of its own, as CI jobs do. */
export async function runShards(of: number, files: ProjectFiles, args: readonly string[] = []): Promise<Jobs> {
  const artifacts = makeProject({});
  const outcomes: CliOutcome[] = [];
  for (let index = 1; index <= of; index += 1) {
    const cwd = makeProject(files);
    outcomes.push(await runCli(["test", "--shard", `${index}/${of}`, ...args], { cwd }));
    await rename(join(cwd, ".kindlm"), join(artifacts, `shard-${index}`));
  }
  return { artifacts, outcomes };
}

/** The ids of the runs in a folder of them, the oldest first. */
export function runIds(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => !name.startsWith("."))
    .toSorted();
}

import type { CommandDefinition } from "../command-definition.js";

/** What commander makes of the flags below. */
export interface MergeFlags {
  reporter: readonly string[];
  root?: string;
}

export const mergeCommand: CommandDefinition = {
  name: "merge",
  summary: "Join the shards of a run into one run with one verdict",
  examples: [
    ["kindlm merge shards/", "the run folders of all shards, found in one folder"],
    ["kindlm merge shards/1 shards/2 --reporter junit=junit.xml", "named one by one, with a report for CI"],
  ],
  configure: (command) =>
    void command
      .argument("<runs...>", "run folders, folders that hold several, or ids of runs")
      .option(
        "--reporter <name[=file]>",
        "pretty, json, junit, markdown, github, csv or tap, to stdout or to a file; may be repeated",
        (value: string, before: readonly string[]) => [...before, value],
        [],
      )
      .option("--root <folder>", "where .kindlm stands; the merged run and the durations go there"),
  load: async () => (await import("./run-merge-command.js")).runMergeCommand,
};

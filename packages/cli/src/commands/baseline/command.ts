import type { CommandDefinition } from "../command-definition.js";

/** What commander makes of the flags below. */
export interface BaselineFlags {
  run?: string;
  suite: readonly string[];
  note?: string;
  allowErrored: boolean;
  withOutputs: boolean;
  prune: boolean;
  dryRun: boolean;
  root?: string;
  json: boolean;
}

export const baselineCommand: CommandDefinition = {
  name: "baseline",
  summary: "Make a run the one that later runs are compared with, or compare, list, show and remove such baselines",
  examples: [
    ["kindlm baseline set", "blesses what the last run came to, failures too"],
    ['kindlm baseline set --suite orders --note "new prompt"', "one suite of it, and why"],
    ["kindlm baseline compare", "puts the last run beside the baselines; exit code 1 when it is worse"],
    ["kindlm baseline show orders refund", "the cases of a suite with refund in their id"],
    ["kindlm baseline remove orders", "removes the baseline of a suite"],
  ],
  configure: (command) =>
    void command
      .argument("[action]", "set, compare, list, show or remove; default: list")
      .argument("[names...]", "with show: a suite, and part of the id of a case; with remove: suites")
      .option("--run <id>", "with set and compare: which run; the beginning of its id is enough; default: the last run")
      .option(
        "--suite <name>",
        "with set: only this suite; may be repeated",
        (value: string, before: readonly string[]) => [...before, value],
        [],
      )
      .option("--note <text>", "with set: why, for those who read the file")
      .option("--allow-errored", "with set: bless the other cases where some errored", false)
      .option("--with-outputs", "with set: keep the answer of every case", false)
      .option("--prune", "with set: take out the cases that the config has no more", false)
      .option("--dry-run", "with set and remove: change nothing, and say what would", false)
      .option("--root <folder>", "where .kindlm stands")
      .option("--json", "print it as JSON", false),
  load: async () => (await import("./run-baseline-command.js")).runBaselineCommand,
};

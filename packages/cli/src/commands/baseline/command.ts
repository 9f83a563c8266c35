import { defineCommand } from "../command-definition.js";
import { text, toggle } from "../flag.js";
import { dryRun, json, root, run, suite } from "../shared-flags.js";

export const baselineGroup = {
  name: "baseline",
  summary: "Save baselines and compare runs with them",
  byDefault: "list",
};

export const setCommand = defineCommand({
  name: "set",
  summary: "Save the results of a run as baselines",
  examples: [
    ["kindlm baseline set", "Save the results of the last run, including failures"],
    ["kindlm baseline set --add", "Pool the trials of the last run with those of the saved runs"],
    ['kindlm baseline set --suite orders --note "new prompt"', "Save one suite, with a note that comparisons show"],
  ],
  flags: {
    run,
    suite,
    add: toggle("Pool the trials with those of the saved runs"),
    note: text("<text>", "Store a note, which every comparison shows"),
    allowErrored: toggle("Save the other cases although some errored"),
    withOutputs: toggle("Save the answer of every case", { note: "default: of cases with drift" }),
    prune: toggle("Remove cases that are no longer in the config"),
    dryRun,
    root,
    json,
  },
  misplaced: (word) => `Run: kindlm baseline set --suite ${word}, or --run ${word} for a run`,
});

export const compareCommand = defineCommand({
  name: "compare",
  summary: "Compare a run with the baselines",
  examples: [["kindlm baseline compare", "Compare the last run; exit code 1 means that it is worse"]],
  flags: { run, root, json },
  misplaced: (word) => `Run: kindlm baseline compare --run ${word}`,
});

export const listCommand = defineCommand({
  name: "list",
  summary: "List the baselines",
  examples: [["kindlm baseline list", "List the baselines of all suites"]],
  flags: { root, json },
  misplaced: (word) => `Run: kindlm baseline show ${word}`,
});

export const showCommand = defineCommand({
  name: "show",
  summary: "Show the baseline of a suite",
  examples: [["kindlm baseline show orders refund", 'Show the cases of a suite with "refund" in their ID']],
  args: { "<suite>": "Name of the suite", "[case]": "ID of a case, or part of it (default: all cases)" },
  flags: { root, json },
  misplaced: () => "Run: kindlm baseline show <suite> [case]",
});

export const removeCommand = defineCommand({
  name: "remove",
  summary: "Remove the baselines of suites",
  examples: [["kindlm baseline remove orders", "Remove the baseline of a suite"]],
  args: { "<suites...>": "Names of the suites" },
  flags: { dryRun, root, json },
});

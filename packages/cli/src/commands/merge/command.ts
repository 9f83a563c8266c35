import { defineCommand } from "../command-definition.js";
import { reporter, root } from "../shared-flags.js";

export const mergeCommand = defineCommand({
  name: "merge",
  summary: "Merge the shards of a run into one run with one verdict",
  examples: [
    ["kindlm merge shards/", "the run folders of all shards, found in one folder"],
    ["kindlm merge shards/1 shards/2 --reporter junit=junit.xml", "named one by one, with a report for CI"],
  ],
  args: { "<runs...>": "Run folders, folders that contain several, or IDs of runs" },
  flags: { reporter, root },
});

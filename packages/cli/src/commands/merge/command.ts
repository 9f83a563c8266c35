import { defineCommand } from "../command-definition.js";
import { reporter, root, upload } from "../shared-flags.js";

export const mergeCommand = defineCommand({
  name: "merge",
  summary: "Merge shards into one run with one verdict",
  examples: [
    ["kindlm merge shards/", "Merge all run folders in a folder"],
    ["kindlm merge shards/1 shards/2 --reporter junit=junit.xml", "Merge two run folders, and write a JUnit file"],
  ],
  args: { "<runs...>": "Run folders, folders of run folders, or run IDs" },
  flags: { reporter, upload, root },
});

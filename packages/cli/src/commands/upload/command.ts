import { defineCommand } from "../command-definition.js";
import { toggle } from "../flag.js";
import { project, root, server } from "../shared-flags.js";

export const uploadCommand = defineCommand({
  name: "upload",
  summary: "Upload runs to a results server",
  examples: [
    ["kindlm upload", "Upload the measurements of the last run"],
    ["kindlm upload --pending", "Upload the runs whose upload failed"],
    ["kindlm upload --dry-run", "Print what an upload of the last run would send"],
  ],
  args: { "[runs...]": "Run IDs or unique prefixes (default: last)" },
  flags: {
    pending: toggle("Upload the runs whose upload failed"),
    transcripts: toggle("Include messages and transcripts"),
    dryRun: toggle("Print what would be sent, and send nothing"),
    server,
    project,
    root,
  },
});

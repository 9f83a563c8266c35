import { defineCommand } from "../command-definition.js";
import { dryRun, json, root } from "../shared-flags.js";

const args = { "[paths...]": "Config files or folders (default: kindlm.yaml)" };

export const cassetteGroup = {
  name: "cassette",
  summary: "List, verify, and prune the recordings of --cassette",
  byDefault: "list",
};

export const listCommand = defineCommand({
  name: "list",
  summary: "List the cassettes with their cases and models",
  examples: [["kindlm cassette list", "the files with their cases and models"]],
  args,
  flags: { root, json },
});

export const verifyCommand = defineCommand({
  name: "verify",
  summary: "Check that the cassettes are sound and contain no secret",
  examples: [["kindlm cassette verify", "for CI: a problem is exit code 1"]],
  args,
  flags: { root, json },
});

export const pruneCommand = defineCommand({
  name: "prune",
  summary: "Remove the recordings that no case needs",
  examples: [["kindlm cassette prune --dry-run", "shows what would be removed"]],
  args,
  flags: { dryRun, root, json },
});

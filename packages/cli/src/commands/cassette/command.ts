import { defineCommand } from "../command-definition.js";
import { dryRun, json, root } from "../shared-flags.js";

const args = { "[paths...]": "Config files or folders (default: kindlm.yaml)" };

export const cassetteGroup = {
  name: "cassette",
  summary: "List, verify, and prune cassettes",
  byDefault: "list",
};

export const listCommand = defineCommand({
  name: "list",
  summary: "List the cassettes with their cases and models",
  examples: [["kindlm cassette list", "List the cassettes of kindlm.yaml"]],
  args,
  flags: { root, json },
});

export const verifyCommand = defineCommand({
  name: "verify",
  summary: "Check that the cassettes are sound and contain no secret",
  examples: [["kindlm cassette verify", "In CI: exit code 1 means that a cassette has a problem"]],
  args,
  flags: { root, json },
});

export const pruneCommand = defineCommand({
  name: "prune",
  summary: "Remove recordings that no case needs",
  examples: [["kindlm cassette prune --dry-run", "Show what would be removed"]],
  args,
  flags: { dryRun, root, json },
});

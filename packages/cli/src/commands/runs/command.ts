import { defineCommand } from "../command-definition.js";
import { parseAgeMs, parseKeep } from "../flag-parsers.js";
import { parsed } from "../flag.js";
import { dryRun, json, root } from "../shared-flags.js";

const misplaced = (word: string): string => `Write: kindlm runs show ${word}`;

export const runsGroup = { name: "runs", summary: "List, show, and prune stored runs", byDefault: "list" };

export const listCommand = defineCommand({
  name: "list",
  summary: "List the runs, the newest first",
  examples: [["kindlm runs", "lists the runs, the newest first"]],
  flags: { root, json },
  misplaced,
});

export const showCommand = defineCommand({
  name: "show",
  summary: "Show a run and what you can do with it",
  examples: [["kindlm runs show last", "shows the last run and what you can do with it"]],
  args: { "[run]": "ID of the run, a unique prefix, or last (default: last)" },
  flags: { root, json },
});

export const pruneCommand = defineCommand({
  name: "prune",
  summary: "Remove old runs",
  examples: [
    ["kindlm runs prune --keep 20 --older-than 30d", "removes runs beyond the newest 20 that are older than 30 days"],
    ["kindlm runs prune --keep 20 --dry-run", "shows what would be removed"],
  ],
  flags: {
    keep: parsed("<n>", "Keep the newest n runs", parseKeep),
    olderThan: parsed("<age>", "Remove only older runs, such as 12h, 30d or 4w", parseAgeMs),
    dryRun,
    root,
    json,
  },
  misplaced,
});

import { defineCommand } from "../command-definition.js";
import { parseAgeMs, parseCount, parseKeep } from "../flag-parsers.js";
import { parsed, toggle } from "../flag.js";
import { dryRun, json, project, root, server } from "../shared-flags.js";

const remote = toggle("Show what is on the results server");

const misplaced = (word: string): string => `Run: kindlm runs show ${word}`;

export const runsGroup = { name: "runs", summary: "List, show, and prune stored runs", byDefault: "list" };

export const listCommand = defineCommand({
  name: "list",
  summary: "List the runs, newest first",
  examples: [
    ["kindlm runs", "List the runs, newest first"],
    ["kindlm runs --remote", "List the runs on the results server"],
  ],
  flags: {
    remote,
    server,
    project,
    limit: parsed("<n>", "With --remote: show at most n runs", parseCount, { note: "default: 200" }),
    root,
    json,
  },
  misplaced,
});

export const showCommand = defineCommand({
  name: "show",
  summary: "Show a run and the commands for it",
  examples: [["kindlm runs show last", "Show the last run and the commands for it"]],
  args: { "[run]": "Run ID, unique prefix, or last (default: last)" },
  flags: { remote, server, project, root, json },
});

export const pruneCommand = defineCommand({
  name: "prune",
  summary: "Remove old runs",
  examples: [
    ["kindlm runs prune --keep 20 --older-than 30d", "Keep the newest 20 runs and all runs of the last 30 days"],
    ["kindlm runs prune --keep 20 --dry-run", "Show what would be removed"],
  ],
  flags: {
    keep: parsed("<n>", "Keep the newest n runs", parseKeep),
    olderThan: parsed("<age>", "Remove only runs older than this, such as 12h, 30d, or 4w", parseAgeMs),
    dryRun,
    root,
    json,
  },
  misplaced,
});

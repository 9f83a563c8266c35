import type { CommandDefinition } from "../command-definition.js";
import { parseAgeMs, parseKeep } from "../option-parsers.js";

/** What commander makes of the flags below. */
export interface RunsFlags {
  json: boolean;
  root?: string;
  keep?: number;
  olderThan?: number;
  dryRun: boolean;
}

export const runsCommand: CommandDefinition = {
  name: "runs",
  summary: "List the runs that are kept, show one, or remove old ones",
  examples: [
    ["kindlm runs", "lists them, the newest first"],
    ["kindlm runs show last", "tells of one run, and what can be done with it"],
    ["kindlm runs prune --keep 20 --older-than 30d", "removes runs beyond the newest 20 that are older than 30 days"],
    ["kindlm runs prune --keep 20 --dry-run", "only says which would go"],
  ],
  configure: (command) =>
    void command
      .argument("[action]", "list, show or prune; default: list")
      .argument("[run]", "with show: id of the run, the beginning of it, or last; default: the last run")
      .option("--keep <n>", "with prune: so many of the newest runs stay", parseKeep)
      .option("--older-than <age>", "with prune: only runs that began longer ago, such as 12h, 30d or 4w", parseAgeMs)
      .option("--dry-run", "with prune: remove nothing, and say what would go", false)
      .option("--root <folder>", "where .kindlm stands")
      .option("--json", "print it as JSON", false),
  load: async () => (await import("./run-runs-command.js")).runRunsCommand,
};

import { defineCommand } from "../command-definition.js";
import { scoring } from "../shared-flags.js";

export const scoreCommand = defineCommand({
  name: "score",
  summary: "Evaluate the assertions on recorded conversations",
  examples: [
    ["kindlm score transcripts.jsonl", "each line is a conversation and names its test"],
    [
      "kindlm score a.jsonl b.jsonl -c evals/kindlm.yaml --reporter junit=junit.xml",
      "several files, with a report for CI",
    ],
    ["export-logs | kindlm score -", "from another program"],
    ["kindlm score .kindlm/runs/20260215-103000000-a1b2c3", "the conversations of a run, even if its tests changed"],
  ],
  args: { "<transcripts...>": "Files of JSON Lines, journals, or run folders; - reads stdin" },
  flags: scoring,
});

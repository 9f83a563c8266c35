import { defineCommand } from "../command-definition.js";
import { text } from "../flag.js";
import { scoring } from "../shared-flags.js";

export const scoreCommand = defineCommand({
  name: "score",
  summary: "Evaluate recorded conversations",
  examples: [
    ["kindlm score transcripts.jsonl", "Evaluate a file in which each line names its test"],
    [
      "kindlm score a.jsonl b.jsonl -c evals/kindlm.yaml --reporter junit=junit.xml",
      "Evaluate two files, and write a JUnit file",
    ],
    ["kindlm score spans.json --as orders/refund", "Evaluate the traces of an agent as a test"],
    ["export-logs | kindlm score -", "Evaluate the output of another program"],
    [
      "kindlm score .kindlm/runs/20260215-103000000-a1b2c3",
      "Evaluate the conversations of a run, even if its tests changed",
    ],
  ],
  args: { "<transcripts...>": "JSON Lines files, OpenTelemetry spans, journals, or run folders; - reads stdin" },
  flags: { ...scoring, as: text("<test>", "Use this test for traces that name none") },
});

import { addScoringOptions } from "../../scoring/scoring-options.js";
import type { CommandDefinition } from "../command-definition.js";

export const scoreCommand: CommandDefinition = {
  name: "score",
  summary: "Evaluate the assertions on conversations that were recorded elsewhere, without asking the model under test",
  examples: [
    ["kindlm score transcripts.jsonl", "each line is a conversation, and says of which test"],
    [
      "kindlm score a.jsonl b.jsonl -c evals/kindlm.yaml --reporter junit=junit.xml",
      "several files, with a report for CI",
    ],
    ["export-logs | kindlm score -", "from another program"],
    ["kindlm score .kindlm/runs/20260215-103000000-a1b2c3", "the conversations of a run, whatever has changed since"],
  ],
  configure: (command) => {
    command.argument("<transcripts...>", "files of JSON Lines, journals or run folders; - reads stdin");
    addScoringOptions(command);
  },
  load: async () => (await import("./run-score-command.js")).runScoreCommand,
};

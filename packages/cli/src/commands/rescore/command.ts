import { addScoringOptions } from "../../scoring/scoring-options.js";
import type { CommandDefinition } from "../command-definition.js";

export const rescoreCommand: CommandDefinition = {
  name: "rescore",
  summary: "Evaluate the assertions of now on the conversations of a finished run",
  examples: [
    ["kindlm rescore", "the last run"],
    ["kindlm rescore 20260215-1030 -t refund", "some cases of another one"],
    ["kindlm rescore last --reporter json > report.json", "for other programs"],
  ],
  configure: (command) => {
    command.argument("[run]", "id of the run, the beginning of it, or the path of its folder; default: the last run");
    command.option("--run <id>", "the same, as kindlm test has it");
    addScoringOptions(command);
  },
  load: async () => (await import("./run-rescore-command.js")).runRescoreCommand,
};

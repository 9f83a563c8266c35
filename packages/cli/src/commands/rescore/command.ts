import { defineCommand } from "../command-definition.js";
import { run, scoring } from "../shared-flags.js";

export const rescoreCommand = defineCommand({
  name: "rescore",
  summary: "Evaluate the current assertions on a finished run",
  examples: [
    ["kindlm rescore", "the last run"],
    ["kindlm rescore 20260215-1030 -t refund", "some cases of another one"],
    ["kindlm rescore last --reporter json > report.json", "for other programs"],
  ],
  args: { "[run]": "ID of the run, a unique prefix, or its folder (default: the last run)" },
  flags: { run, ...scoring },
});

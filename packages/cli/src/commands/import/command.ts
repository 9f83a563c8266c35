import { defineCommand } from "../command-definition.js";
import { text } from "../flag.js";

export const importGroup = { name: "import", summary: "Make tests of what other programs recorded" };

export const importTraceCommand = defineCommand({
  name: "trace",
  summary: "Make an offline test of a recorded trace",
  examples: [
    [
      "kindlm import trace spans.json --test refund-fails",
      "Write refund-fails.kindlm.yaml, and run it with kindlm test",
    ],
    ["kindlm import trace spans.jsonl --test refund-fails --trace 4bf92f35", "Choose one of several traces"],
    ["kindlm import trace spans.pb --test refund-fails --out -", "Print the test instead of writing a file"],
  ],
  args: { "<spans...>": "Files of OpenTelemetry spans; - reads stdin" },
  flags: {
    test: text("<name>", "Name the test", { short: "t" }),
    suite: text("<name>", "Name the suite of the test", { note: "default: recorded" }),
    trace: text("<id>", "Use the trace with this ID or unique prefix"),
    out: text("<file>", "Write to this file; - prints", { note: "default: <test>.kindlm.yaml" }),
  },
  needsNoConfig: true,
});

import { defineCommand } from "../command-definition.js";
import { text } from "../flag.js";

export const importGroup = { name: "import", summary: "Make tests of traces and of configs of promptfoo" };

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

export const importPromptfooCommand = defineCommand({
  name: "promptfoo",
  summary: "Convert a config of promptfoo",
  examples: [
    ["kindlm import promptfoo", "Convert promptfooconfig.yaml, and list what has no counterpart"],
    ["kindlm import promptfoo evals/promptfooconfig.yaml --out evals", "Write kindlm.yaml next to the config"],
    ["kindlm import promptfoo --out -", "Print the config instead of writing files"],
  ],
  args: { "[file]": "Config of promptfoo, in YAML or JSON (default: promptfooconfig.yaml)" },
  flags: {
    out: text("<folder>", "Write into this folder; - prints", { note: "default: the current folder" }),
  },
  needsNoConfig: true,
});

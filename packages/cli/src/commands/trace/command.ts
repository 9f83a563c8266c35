import { defineCommand } from "../command-definition.js";
import { parseCount, parseDurationMs, parseSeed } from "../flag-parsers.js";
import { parsed, text } from "../flag.js";
import { scoring } from "../shared-flags.js";

export const traceCommand = defineCommand({
  name: "trace",
  summary: "Receive the traces of an agent, and evaluate them",
  examples: [
    ["kindlm trace --as orders/refund --traces 1", "Wait for one trace at 127.0.0.1:4318, and evaluate it as a test"],
    ["kindlm trace", "Receive traces that name their tests until Ctrl-C, and evaluate them"],
    ["kindlm trace --host 0.0.0.0 --port 4400", "Receive the traces of other machines, too"],
  ],
  flags: {
    ...scoring,
    as: text("<test>", "Use this test for traces that name none"),
    host: text("<address>", "Listen at this address", { note: "default: 127.0.0.1" }),
    port: parsed("<n>", "Listen at this port; 0 takes a free one", parseSeed, { note: "default: 4318" }),
    traces: parsed("<n>", "Evaluate after n traces", parseCount, { note: "default: at Ctrl-C" }),
    quiet: parsed("<duration>", "Wait this long for late spans", parseDurationMs, { note: "default: 2s" }),
    timeout: parsed("<duration>", "Give up if no span comes for this long", parseDurationMs),
  },
});

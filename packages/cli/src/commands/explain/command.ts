import { defineCommand } from "../command-definition.js";
import { json } from "../shared-flags.js";

export const explainCommand = defineCommand({
  name: "explain",
  needsNoConfig: true,
  summary: "Explain an error code",
  examples: [
    ["kindlm explain PROVIDER_RATE_LIMIT", "Explain an error by its code"],
    ["kindlm explain 202", "Explain an error by its number"],
    ["kindlm explain", "List all error codes"],
  ],
  args: { "[code]": "Code or number of the error (default: list all)" },
  flags: { json },
});

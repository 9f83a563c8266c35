import { defineCommand } from "../command-definition.js";
import { json } from "../shared-flags.js";

export const explainCommand = defineCommand({
  name: "explain",
  summary: "Explain an error code",
  examples: [
    ["kindlm explain PROVIDER_RATE_LIMIT", "by its name"],
    ["kindlm explain 202", "by its number"],
    ["kindlm explain", "lists all codes"],
  ],
  args: { "[code]": "Name or number of the error" },
  flags: { json },
});

import { defineCommand } from "../command-definition.js";
import { json, server } from "../shared-flags.js";

export const whoamiCommand = defineCommand({
  name: "whoami",
  summary: "Show who you are on the results server",
  examples: [["kindlm whoami", "Show the account, the scopes of its token, and when it expires"]],
  flags: { server, json },
});

import { defineCommand } from "../command-definition.js";

export const serverCommand = defineCommand({
  name: "server",
  needsNoConfig: true,
  passesWords: true,
  summary: "Start the results server, if it is installed",
  examples: [
    ["kindlm server", "Start @kindlm/server on http://127.0.0.1:4310, with its data in ./kindlm-data"],
    ["kindlm server --database postgres://user@host/name", "Keep the results in PostgreSQL"],
    ["kindlm server -- --help", "Show the options of the server"],
  ],
  args: { "[options...]": "Passed on to the server" },
  flags: {},
});

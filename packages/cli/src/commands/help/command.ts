import { defineCommand } from "../command-definition.js";

/** Never called: `arrangeWords` writes it as `--help` of the command that it names. */
export const helpCommand = defineCommand({
  name: "help",
  needsNoConfig: true,
  summary: "Show the help of a command",
  examples: [
    ["kindlm help test", "Show the options of kindlm test"],
    ["kindlm help baseline set", "Show the options of a command in a group"],
  ],
  args: { "[command...]": "Name of a command (default: list all commands)" },
  flags: {},
});

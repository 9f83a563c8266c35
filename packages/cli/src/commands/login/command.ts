import { defineCommand } from "../command-definition.js";
import { toggle } from "../flag.js";
import { server } from "../shared-flags.js";

export const loginCommand = defineCommand({
  name: "login",
  summary: "Log in to a results server",
  examples: [
    ["kindlm login --server https://kindlm.example.com", "Approve the login in a browser, on any machine"],
    ["cat token.txt | kindlm login --server https://kindlm.example.com --token", "Store a token from a file"],
  ],
  flags: { server, token: toggle("Read a token from standard input") },
});

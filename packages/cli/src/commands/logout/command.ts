import { defineCommand } from "../command-definition.js";
import { server } from "../shared-flags.js";

export const logoutCommand = defineCommand({
  name: "logout",
  summary: "Revoke the stored token of a results server",
  examples: [
    ["kindlm logout --server https://kindlm.example.com", "Revoke the token, and remove it from this machine"],
  ],
  flags: { server },
});

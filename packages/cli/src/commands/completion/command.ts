import { defineCommand } from "../command-definition.js";

export const shells = ["bash", "zsh", "fish", "powershell"] as const;

export const completionCommand = defineCommand({
  name: "completion",
  needsNoConfig: true,
  summary: "Print a script that completes commands in your shell",
  examples: [
    ["kindlm completion bash", "Print the script for bash; in ~/.bashrc: source <(kindlm completion bash)"],
    ["kindlm completion zsh", "Print it for zsh; in ~/.zshrc, after compinit: source <(kindlm completion zsh)"],
    ["kindlm completion fish > ~/.config/fish/completions/kindlm.fish", "Install it for fish"],
    ["kindlm completion powershell", "Print it for PowerShell; in $PROFILE: ... | Out-String | Invoke-Expression"],
  ],
  args: { "<shell>": `The shell: ${shells.join(", ")}` },
  flags: {},
});

import { whoAmI, type Account } from "@kindlm/core/commands/server-accounts";
import { visibleLine } from "@kindlm/core/program";
import { given } from "../given.js";
import { printAnswer, printError } from "../print-answer.js";
import type { InvocationOf } from "../command-definition.js";
import type { whoamiCommand } from "./command.js";

const sources: Readonly<Record<Account["tokenFrom"], string>> = {
  environment: "from KINDLM_TOKEN",
  login: "from kindlm login",
  github: "from GitHub Actions",
};

export async function execute(invocation: InvocationOf<typeof whoamiCommand>): Promise<number> {
  const { flags, global, environment } = invocation;
  const account = await whoAmI({ paths: global.config, ...given({ server: flags.server }) }, environment.core);
  if (!account.success) return printError(invocation, account.error);
  return printAnswer(invocation, { data: account.data, text: render(account.data) });
}

function render({ server, user, organization, plan, scopes, projects, expiresAt, tokenFrom }: Account): string {
  const facts: readonly (readonly [string, string])[] = [
    ["server", server],
    ["user", user ?? ""],
    ["organization", organization ?? ""],
    ["plan", plan ?? ""],
    ["projects", projects.join(", ")],
    ["scopes", scopes.join(", ")],
    ["expires", expiresAt ?? ""],
    ["token", sources[tokenFrom]],
  ];
  const shown = facts.filter(([, text]) => text !== "");
  return `${shown.map(([name, text]) => `${name.padEnd(12)} ${visibleLine(text)}`).join("\n")}\n`;
}

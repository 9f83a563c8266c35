import { whoAmI, type Account } from "@kindlm/core/commands/server-accounts";
import { visibleLine } from "@kindlm/core/program";
import { given } from "../given.js";
import { printAnswer, printError } from "../print-answer.js";
import type { InvocationOf } from "../command-definition.js";
import type { whoamiCommand } from "./command.js";

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
    ["token", tokenFrom === "environment" ? "from KINDLM_TOKEN" : "from kindlm login"],
  ];
  const shown = facts.filter(([, text]) => text !== "");
  return `${shown.map(([name, text]) => `${name.padEnd(12)} ${visibleLine(text)}`).join("\n")}\n`;
}

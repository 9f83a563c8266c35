import { logOut } from "@kindlm/core/commands/server-accounts";
import { given } from "../given.js";
import { printAnswer, printError } from "../print-answer.js";
import type { InvocationOf } from "../command-definition.js";
import type { logoutCommand } from "./command.js";

export async function execute(invocation: InvocationOf<typeof logoutCommand>): Promise<number> {
  const { flags, global, environment } = invocation;
  const left = await logOut({ paths: global.config, ...given({ server: flags.server }) }, environment.core);
  if (!left.success) return printError(invocation, left.error);
  return printAnswer(invocation, { data: left.data, text: `Logged out of ${left.data.server}\n` });
}

import { logIn, type Account, type DeviceCode } from "@kindlm/core/commands/server-accounts";
import { plural, visibleLine } from "@kindlm/core/program";
import type { CliEnvironment } from "../../environment.js";
import { given } from "../given.js";
import { printAnswer, printError } from "../print-answer.js";
import type { InvocationOf } from "../command-definition.js";
import type { loginCommand } from "./command.js";

const mostTokenBytes = 65_536;

export async function execute(invocation: InvocationOf<typeof loginCommand>): Promise<number> {
  const { flags, global, environment } = invocation;
  const token = flags.token ? await readToken(environment) : undefined;
  const onCode = async (code: DeviceCode): Promise<void> => {
    await environment.stderr.write(renderCode(code));
  };
  const options = { paths: global.config, ...given({ server: flags.server, token }), onCode };
  const account = await logIn(options, environment.core);
  if (!account.success) return printError(invocation, account.error);
  return printAnswer(invocation, { data: account.data, text: renderLogin(account.data) });
}

async function readToken({ stdin }: CliEnvironment): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stdin) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > mostTokenBytes) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}

function renderCode({ page, pageWithCode, code, expiresInMs }: DeviceCode): string {
  const minutes = Math.max(1, Math.round(expiresInMs / 60_000));
  const direct = pageWithCode === null ? "" : `  Or open:  ${visibleLine(pageWithCode)}\n`;
  return `To log in, open this page in a browser and enter the code, within ${plural(minutes, "minute")}:
  Page:     ${visibleLine(page)}
  Code:     ${visibleLine(code)}
${direct}Waiting for approval…\n`;
}

function renderLogin({ server, user, organization }: Account): string {
  const who = [user, organization].flatMap((name) => (name === null ? [] : visibleLine(name))).join(", ");
  return `Logged in to ${server}${who === "" ? "" : `: ${who}`}\n`;
}

import { plural, visibleLine } from "@kindlm/core/program";
import { verifyCassettes, type CassetteCheck } from "@kindlm/core/commands/cassettes";
import { given } from "../given.js";
import { printAnswer, printError } from "../print-answer.js";
import type { InvocationOf } from "../command-definition.js";
import type { verifyCommand } from "./command.js";

/** Exit code 1 if anything is found. */
export async function execute(invocation: InvocationOf<typeof verifyCommand>): Promise<number> {
  const { args, flags, global, environment } = invocation;
  const paths = [...args, ...global.config];
  const checked = await verifyCassettes({ paths, ...given({ root: flags.root }) }, environment.core);
  if (!checked.success) return printError(invocation, checked.error, paths);
  const isSound = checked.data.every(({ problems }) => problems.length === 0);
  return printAnswer(invocation, { data: checked.data, text: render(checked.data) }, isSound ? 0 : 1);
}

/** One line per problem. */
function render(checks: readonly CassetteCheck[]): string {
  const lines = checks.flatMap(({ file, problems }) =>
    problems.map(({ line, message }) => `${visibleLine(file)}:${line}: ${visibleLine(message)}`),
  );
  const counts = `${plural(checks.length, "file")}, ${plural(lines.length, "problem")}`;
  return `${[...lines, counts].join("\n")}\n`;
}

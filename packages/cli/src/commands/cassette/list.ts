import { plural, visibleLine } from "@kindlm/core/program";
import { listCassettes, type CassetteListing } from "@kindlm/core/commands/cassettes";
import type { AsTyped } from "../../arguments/as-typed.js";
import { given } from "../given.js";
import { printAnswer, printError } from "../print-answer.js";
import type { InvocationOf } from "../command-definition.js";
import type { listCommand } from "./command.js";

export async function execute(invocation: InvocationOf<typeof listCommand>): Promise<number> {
  const { args, flags, global, environment } = invocation;
  const paths = [...args, ...global.config];
  const listed = await listCassettes({ paths, ...given({ root: flags.root }) }, environment.core);
  if (!listed.success) return printError(invocation, listed.error, paths);
  return printAnswer(invocation, { data: listed.data, text: render(listed.data, environment.asTyped) });
}

/** One line per file. */
function render(files: readonly CassetteListing[], asTyped: AsTyped): string {
  if (files.length === 0) return `No cassettes. Record some: ${asTyped("kindlm test --cassette record")}\n`;
  const lines = files.map(({ file, cases, trials, exchanges, toolCalls, bytes, models, problem }) => {
    if (problem !== null) return `${visibleLine(file)}: cannot be read: ${visibleLine(problem)}`;
    const counts = [
      plural(cases, "case"),
      plural(trials, "trial"),
      plural(exchanges, "exchange"),
      ...(toolCalls === 0 ? [] : [plural(toolCalls, "tool call")]),
      renderSize(bytes),
      ...models.map(visibleLine),
    ];
    return `${visibleLine(file)}: ${counts.join(", ")}`;
  });
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return `${[...lines, `${plural(files.length, "file")}, ${renderSize(bytes)}`].join("\n")}\n`;
}

function renderSize(bytes: number): string {
  return bytes < 1_024 ? `${bytes} B` : `${Math.round(bytes / 1_024)} KiB`;
}

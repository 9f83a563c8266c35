import { execFile } from "node:child_process";
import process from "node:process";
import { promisify } from "node:util";
import { renderPage } from "./markdown.js";

const run = promisify(execFile);

/** docs/reference/cli.md: what `--help` prints, of the program and of each command. */
export async function renderCli(bin) {
  const main = await helpOf(bin, []);
  const commands = commandNames(main);
  const helps = await Promise.all(commands.map((name) => helpOf(bin, [name])));
  return renderPage("Command line", [
    fenced(main),
    ...commands.flatMap((name, index) => [`## kindlm ${name}`, fenced(helps[index])]),
  ]);
}

async function helpOf(bin, command) {
  const env = { PATH: process.env.PATH, NO_COLOR: "1" };
  const { stdout } = await run(process.execPath, [bin, ...command, "--help"], { env });
  return stdout.trimEnd();
}

/** The names under `Commands:` of the help. */
function commandNames(help) {
  const lines = help.split("\n");
  const start = lines.indexOf("Commands:");
  if (start === -1) throw new Error("The help of kindlm lists no commands");
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => line.trim() === "");
  return rest.slice(0, end === -1 ? rest.length : end).flatMap((line) => /^ {2}([a-z][a-z-]*)/.exec(line)?.[1] ?? []);
}

const fenced = (text) => `\`\`\`text\n${text}\n\`\`\``;

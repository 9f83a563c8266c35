import { lstat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { CliEnvironment } from "../../environment.js";
import { quoteArgument } from "../../arguments/quote-argument.js";
import { UsageError } from "../../errors/usage-error.js";
import type { InvocationOf } from "../command-definition.js";
import { agentTemplate } from "./agent-template.js";
import type { initCommand } from "./command.js";

export async function execute({ flags, environment }: InvocationOf<typeof initCommand>): Promise<number> {
  const dir = flags.dir ?? (await askForFolder(environment, flags.yes));
  if (dir === null) return 1;
  const root = resolve(environment.cwd, dir);
  const names = Object.keys(agentTemplate);
  const found = await Promise.all(names.map((name) => exists(join(root, name))));
  const taken = names.filter((_, index) => found[index]).map((name) => join(dir, name));
  if (taken.length > 0) {
    throw new UsageError(
      `Nothing was written, because these files exist: ${taken.join(", ")}`,
      "Choose another folder with --dir",
    );
  }
  const writing = Object.entries(agentTemplate).map(async ([name, text]) => {
    // What appeared in the meantime is not overwritten either.
    await environment.files.create(join(root, name), text);
    return `wrote ${join(dir, name)}\n`;
  });
  await environment.stdout.write((await Promise.all(writing)).join(""));
  const config = dir === "." ? "" : ` ${quoteArgument(join(dir, "kindlm.yaml"))}`;
  await environment.stdout.write(`\nRun the tests, without a key or a network:\n  kindlm test${config}\n`);
  return 0;
}

async function askForFolder({ ask }: CliEnvironment, asksNothing: boolean): Promise<string | null> {
  if (asksNothing || ask === null) return ".";
  const answer = await ask("Which folder should the tests go into? (.) ");
  return answer === "" ? "." : answer;
}

/** A dangling link counts: writing through it would make a file elsewhere. */
async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

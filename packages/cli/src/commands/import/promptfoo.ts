import { importPromptfoo, type ConvertedConfig } from "@kindlm/core/commands/import-promptfoo";
import { join } from "node:path";
import { plural } from "@kindlm/core/program";
import { quoteArgument } from "../../arguments/quote-argument.js";
import { UsageError } from "../../errors/usage-error.js";
import { createFiles } from "../../sinks/create-files.js";
import type { InvocationOf } from "../command-definition.js";
import { given } from "../given.js";
import { printError } from "../print-answer.js";
import type { importPromptfooCommand } from "./command.js";

export async function execute(invocation: InvocationOf<typeof importPromptfooCommand>): Promise<number> {
  const { args, flags, environment } = invocation;
  const [file] = args;
  if (file !== undefined && /\.[cm]?[jt]s$/.test(file)) {
    throw new UsageError(
      `${file} is code, and only YAML and JSON can be imported`,
      "Print the config of promptfoo as JSON, and import that",
    );
  }
  const imported = await importPromptfoo(given({ file }), { cwd: environment.cwd });
  if (!imported.success && imported.error.code === "CONFIG_NOT_FOUND") {
    throw new UsageError(imported.error.message, "Name the config of promptfoo: kindlm import promptfoo <file>");
  }
  if (!imported.success) return printError(invocation, imported.error);
  const dir = flags.out ?? ".";
  if (dir === "-") {
    await environment.stdout.write(Object.values(imported.data.files).join("\n"));
    return 0;
  }
  const written = await createFiles(dir, imported.data.files, "Choose another folder with --out", environment);
  const config = join(dir, "kindlm.yaml");
  const next = ["kindlm validate", "kindlm test"].map(
    (line) => `  ${environment.asTyped(line)} ${quoteArgument(config)}\n`,
  );
  await environment.stdout.write(`${written}\n${describe(imported.data)}\n${next.join("")}`);
  return 0;
}

/** What was converted, and what a person has to look at, each with its line in the source. */
function describe({ tests, findings }: ConvertedConfig): string {
  const count = plural(tests, "test");
  if (findings.length === 0) return `${count}, converted whole. Check and run them:`;
  const lines = findings.map(({ file, line, message }) => `  ${file}:${line}  ${message}\n`);
  const found = plural(findings.length, "place");
  return `${count}, converted in part. ${found} to look at, each with a TODO(import) in the config:\n${lines.join("")}\nThen check and run them:`;
}

import { resolve } from "node:path";
import { messageOf } from "@kindlm/core/program";
import { importTrace } from "@kindlm/core/commands/import-trace";
import { quoteArgument } from "../../arguments/quote-argument.js";
import { UsageError } from "../../errors/usage-error.js";
import { refuseRepeated } from "../../scoring/refuse-repeated.js";
import type { InvocationOf } from "../command-definition.js";
import { given } from "../given.js";
import { printError } from "../print-answer.js";
import type { importTraceCommand } from "./command.js";

export async function execute(invocation: InvocationOf<typeof importTraceCommand>): Promise<number> {
  const { args, flags, environment } = invocation;
  const { test, suite, trace } = flags;
  if (test === undefined) throw new UsageError("--test is missing", "Name the test, such as --test refund-fails");
  refuseRepeated(args, environment.cwd);
  const files = args.map((name) => (name === "-" ? { name: "stdin", chunks: environment.stdin } : name));
  const imported = await importTrace({ files, test, ...given({ suite, trace }) }, environment.core);
  if (!imported.success) return printError(invocation, imported.error);
  const out = flags.out ?? `${test.replaceAll(/[^\w.-]+/g, "-")}.kindlm.yaml`;
  if (out === "-") {
    await environment.stdout.write(imported.data);
    return 0;
  }
  // A test that somebody has changed since is not overwritten.
  const problem = await environment.files.create(resolve(environment.cwd, out), imported.data).then(
    () => null,
    (cause: unknown) => messageOf(cause),
  );
  if (problem !== null) {
    throw new UsageError(`Could not write ${out}: ${problem}`, "Name another file with --out, or remove this one");
  }
  await environment.stdout.write(`Wrote ${out}\n\n  kindlm test ${quoteArgument(out)}\n`);
  return 0;
}

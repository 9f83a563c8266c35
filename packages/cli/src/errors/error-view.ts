import type { DigestOptions } from "./digest-diagnostics.js";
import type { Invocation } from "../commands/command-definition.js";
import { quoteArgument } from "../arguments/quote-argument.js";
import type { ErrorView } from "./render-error.js";
import { wantsColor } from "../terminal/wants-color.js";

type Called = Pick<Invocation, "flags" | "global" | "environment">;

/** How errors are shown on stderr. `configs`: the files and folders that the command reads. */
export function errorViewOf(invocation: Called, configs: readonly string[] = invocation.global.config): ErrorView {
  const { global, environment } = invocation;
  return {
    color: wantsColor(environment, environment.stderr, global.color),
    verbose: global.verbose,
    asTyped: environment.asTyped,
    digest: digestOptionsOf(invocation, configs),
  };
}

/** How many problems of a config are shown, and what shows all of them. */
export function digestOptionsOf({ flags, environment }: Called, configs: readonly string[]): DigestOptions {
  const all = flags["all"];
  const validate = commandOn(environment.asTyped("kindlm validate"), configs);
  return { all: all === true, showAll: all === undefined ? `${validate} --all` : "--all" };
}

/** A command on the same configs, to be typed. */
export function commandOn(command: string, configs: readonly string[]): string {
  return [command, ...configs.map((path) => `-c ${quoteArgument(path)}`)].join(" ");
}

import type { RenderOptions } from "@kindlm/core";
import type { Invocation } from "../commands/command-definition.js";
import { commandOn, digestOptionsOf } from "../errors/error-view.js";
import { explainError } from "../errors/explain-error.js";
import type { OutputStream } from "../sinks/output-stream.js";
import { wantsColor } from "../terminal/wants-color.js";

const widthWithoutTerminal = 100;

/** How a run of these configs is rendered to a stream, or to a file when there is none. */
export function renderOptionsFor(
  { flags, global, environment }: Pick<Invocation, "flags" | "global" | "environment">,
  configs: readonly string[],
): (stream: OutputStream | null) => RenderOptions {
  const command = commandOn("kindlm test", configs);
  const digest = digestOptionsOf({ flags }, configs);
  return (stream) => ({
    verbose: global.verbose,
    color: stream !== null && wantsColor(environment, stream, global.color),
    width: stream?.columns() ?? widthWithoutTerminal,
    redact: environment.redactor.redact,
    explain: (error, diagnostics) => explainError(error, global.verbose, diagnostics),
    digest,
    command,
  });
}

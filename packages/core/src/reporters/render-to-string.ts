import type { RunResult } from "../engine/run-result.js";
import { attempt } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { createRedactor } from "../redaction/redactor.js";
import type { Result } from "../result.js";
import type { RenderOptions, ReporterDefinition } from "./define-reporter.js";

/**
 * Renders a finished run with one reporter.
 *
 * @param options - default: plain text, 80 columns, not verbose, everything that looks like a key masked
 * @returns the whole report, or UNKNOWN_ERROR when the reporter throws
 */
export function renderToString(
  reporter: ReporterDefinition,
  result: RunResult,
  options: Partial<RenderOptions> = {},
): Promise<Result<string>> {
  const redactor = createRedactor([]);
  const complete: RenderOptions = { verbose: false, color: false, width: 80, redact: redactor.redact, ...options };
  return attempt(
    async () => {
      const pieces: string[] = [];
      for await (const piece of reporter.render(result, complete)) pieces.push(piece);
      return pieces.join("");
    },
    (cause) => kindlmError("UNKNOWN_ERROR", `The reporter ${reporter.name} failed: ${messageOf(cause)}`, { cause }),
  );
}

import type { CliEnvironment } from "../environment.js";
import { shortReason } from "../findings/describe-failure.js";
import { createColors } from "../terminal/colors.js";
import { columnsOf } from "../terminal/columns.js";
import { isCi } from "../terminal/is-ci.js";
import { createSigns, isAsciiLocale, shownLine } from "../terminal/signs.js";
import { CaseLines } from "./case-lines.js";
import { ShownProgress } from "./show-progress.js";

/** Shows a run on stderr while it goes on. `verbose`: with a line for every case. */
export function openProgress(
  environment: CliEnvironment,
  { verbose, color }: { verbose: boolean; color: boolean },
): ShownProgress {
  const { stderr: stream, stdout, env, clock, onStop, redactor, core } = environment;
  // A program that reads the report may be a pager, which reads the keys.
  const keys = stream.isTerminal && !stdout.isPipe ? environment.keys : null;
  const colors = createColors(color);
  const signs = createSigns(env);
  // What is cut later must hold no half of a secret.
  const safe = (text: string): string => shownLine(redactor.redact(text), isAsciiLocale(env));
  return new ShownProgress({
    stream,
    clock,
    keys,
    onStop,
    colors,
    signs,
    safe,
    hasRegion: stream.isTerminal && env["TERM"] !== "dumb" && !isCi(env),
    isCutting: cutsLines(env),
    columns: () => columnsOf(environment, stream),
    isStopping: () => core.signal?.aborted === true,
    lines: new CaseLines({
      verbose,
      colors,
      signs,
      safe,
      reasonOf: ({ result, assertions }) => shortReason(result, { assertions }, redactor.redact),
    }),
  });
}

/** Whether such a terminal cuts lines when it is made narrower. tmux has the name of screen, and wraps. */
export function cutsLines({ TERM = "", TMUX = "", XTERM_VERSION = "" }: CliEnvironment["env"]): boolean {
  if (TERM.startsWith("screen")) return TMUX === "";
  return TERM === "linux" || TERM === "xterm" || XTERM_VERSION !== "";
}

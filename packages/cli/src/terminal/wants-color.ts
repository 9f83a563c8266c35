import type { CliEnvironment } from "../environment.js";
import type { OutputStream } from "../sinks/output-stream.js";

/** `--no-color` and NO_COLOR win over FORCE_COLOR, which wins over what the stream is. */
export function wantsColor(environment: CliEnvironment, stream: OutputStream, flag: boolean): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = environment.env;
  if (!flag || (NO_COLOR !== undefined && NO_COLOR !== "")) return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== "") return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return stream.isTerminal && TERM !== "dumb";
}

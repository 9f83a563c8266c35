import type { CliEnvironment } from "../environment.js";
import type { OutputStream } from "../sinks/output-stream.js";

const withoutTerminal = 120;

/** How wide text may be: as the terminal, else as COLUMNS says, else 120. Null is for a file. */
export function columnsOf({ env }: Pick<CliEnvironment, "env">, stream: OutputStream | null): number {
  const told = Number(env["COLUMNS"]);
  return stream?.columns() ?? (stream !== null && Number.isInteger(told) && told > 0 ? told : withoutTerminal);
}

import type { LoadExport } from "../modules/create-export-loader.js";
import type { ProcessRunner } from "../processes/process-runner.js";
import type { HttpTransport } from "../providers/http/transport.js";

/** The world as the sources of tools see it. */
export interface ToolPorts {
  /** Loads an export of the user's own module. */
  loadExport: LoadExport;
  processes: ProcessRunner;
  http: Pick<HttpTransport, "send">;
  /** Environment of the user's own programs. */
  env: Readonly<Record<string, string | undefined>>;
}

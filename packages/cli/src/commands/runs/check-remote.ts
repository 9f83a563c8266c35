import { UsageError } from "../../errors/usage-error.js";

/** Throws a UsageError if a server is named that nobody asks. */
export function checkRemote({ remote, server }: { remote: boolean; server: string | undefined }): void {
  if (server !== undefined && !remote) throw new UsageError("--server needs --remote", "Add --remote");
}

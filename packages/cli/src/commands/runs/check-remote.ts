import { UsageError } from "../../errors/usage-error.js";

interface RemoteFlags {
  remote: boolean;
  server: string | undefined;
  project: string | undefined;
  limit?: number | undefined;
}

/** Throws a UsageError if something is set for a server that nobody asks. */
export function checkRemote({ remote, server, project, limit }: RemoteFlags): void {
  const set = Object.entries({ server, project, limit }).find(([, value]) => value !== undefined);
  if (set !== undefined && !remote) throw new UsageError(`--${set[0]} needs --remote`, "Add --remote");
}

import { startCluster } from "../../bench/results-server/postgres-cluster.js";

/** Vitest's global setup of `pnpm test:postgres`: a private cluster on a socket in a folder of its own. */
export async function setup({
  provide,
}: {
  provide(key: "postgres", value: string): void;
}): Promise<() => Promise<void>> {
  const cluster = await startCluster();
  provide("postgres", cluster.folder);
  return () => cluster.remove();
}

declare module "vitest" {
  interface ProvidedContext {
    /** Folder with the socket of a PostgreSQL server, in `pnpm test:postgres`. */
    postgres?: string;
  }
}

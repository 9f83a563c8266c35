import type { UserModules, ModuleWorld } from "./user-modules.js";

/** Modules of a run. Nothing is loaded or started before the first call. */
export function createUserModules(world: ModuleWorld = {}): UserModules {
  let host: UserModules | null = null;
  let loading: Promise<UserModules> | null = null;
  const open = async (): Promise<UserModules> => {
    const { WorkerHost } = await import("./worker-host.js");
    return (host ??= new WorkerHost(world));
  };
  return {
    call: async (call) => (host ?? (await (loading ??= open()))).call(call),
    blockedBy: (what) => host?.blockedBy(what) ?? null,
    close: async () => (loading === null ? [] : (await loading).close()),
  };
}

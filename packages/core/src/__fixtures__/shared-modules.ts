import { createUserModules } from "../modules/create-user-modules.js";
import type { UserModules } from "../modules/user-modules.js";
import { afterFile } from "./clean-up.js";

let shared: UserModules | null = null;

/**
 * For `openModules` of an environment: the modules of all runs of a test file in one worker. To start one for each run,
 * and to load there what the modules import, takes most of the time of a run. Not for tests of what a module leaves in
 * its worker, or of what ends it.
 */
export function sharedModules(): UserModules {
  if (shared === null) {
    const opened = createUserModules({ console: "stderr" });
    shared = opened;
    afterFile(async () => {
      shared = null;
      await opened.close();
    });
  }
  const { call, blockedBy } = shared;
  return { call, blockedBy, close: async () => [] };
}

/** For tests of what blocks a worker: it is given up sooner. */
export const impatientModules = (): UserModules => createUserModules({ console: "stderr", patienceMs: 800 });

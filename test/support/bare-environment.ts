import { devNull } from "node:os";

/** What programs need to start, where the browser is, and what Vitest keeps there. */
const needed =
  /^(CHROMIUM_PATH|PATH|PATHEXT|HOME|USERPROFILE|TMPDIR|TEMP|TMP|SYSTEMROOT|COMSPEC|NODE_(?!EXTRA_CA_CERTS).*|VITEST.*)$/i;

/**
 * Leaves in the environment of a worker only what is needed, so that nothing of the machine or the CI on which the
 * tests run reaches what they start: colors, tokens, certificates, which a Node reads at each start, the folder of a Git hook.
 * Git reads no settings of the user.
 */
export function bareEnvironment(): void {
  for (const name of Object.keys(process.env)) {
    if (!needed.test(name)) delete process.env[name];
  }
  Object.assign(process.env, { GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: "1" });
}

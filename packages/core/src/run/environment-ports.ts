import { proxySettingsOf } from "../providers/http/proxy-settings.js";
import { createUndiciTransport } from "../providers/http/undici-transport.js";
import { createProcessRunner } from "../processes/node-process-runner.js";
import { createRedactor } from "../redaction/redactor.js";
import { secretValues } from "../redaction/secret-values.js";
import { createSystemClock } from "../values/clock.js";
import { processDefaults } from "../values/process-defaults.js";
import { moduleWorldOf, type Environment } from "./environment.js";
import type { UserModules } from "../modules/user-modules.js";
import { createUserModules } from "../modules/create-user-modules.js";

/** What is asked of the environment itself; the rest is made of it. */
type Given = Pick<Environment, "env" | "cwd" | "clock" | "http" | "processes" | "redactor">;

export type FullEnvironment = Required<Given> &
  Pick<Environment, "onEvent" | "expectLargeConfig"> & {
    signal: AbortSignal | null;
    /** Modules of the user's for one run, which closes them. */
    openModules(): UserModules;
  };

/** The environment with the real thing wherever the caller handed in nothing. */
export function completeEnvironment(environment: Environment): FullEnvironment {
  const { clock = createSystemClock(), onEvent, expectLargeConfig } = environment;
  const { env, cwd } = processDefaults(environment);
  return {
    env,
    cwd,
    signal: environment.signal ?? null,
    clock,
    ...(onEvent === undefined ? {} : { onEvent }),
    ...(expectLargeConfig === undefined ? {} : { expectLargeConfig }),
    http: environment.http ?? createUndiciTransport(clock, proxySettingsOf(env)),
    processes: environment.processes ?? createProcessRunner(clock, environment.atExit),
    openModules: () => createUserModules(moduleWorldOf(environment)),
    redactor: environment.redactor ?? createRedactor(secretValues(env)),
  };
}

import { proxySettingsOf } from "./providers/http/proxy-settings.js";
import { createUndiciTransport } from "./providers/http/undici-transport.js";
import { createProcessRunner } from "./processes/node-process-runner.js";
import { createRedactor } from "./redaction/redactor.js";
import { secretValues } from "./redaction/secret-values.js";
import { createSystemClock } from "./values/clock.js";
import type { Environment } from "./environment.js";

export type FullEnvironment = Required<Omit<Environment, "signal" | "atExit" | "expectLargeConfig">> & {
  signal: AbortSignal | null;
};

/** The environment with the real thing wherever the caller handed in nothing. */
export function completeEnvironment(environment: Environment): FullEnvironment {
  const clock = environment.clock ?? createSystemClock();
  return {
    env: environment.env,
    cwd: environment.cwd,
    signal: environment.signal ?? null,
    clock,
    http: environment.http ?? createUndiciTransport(clock, proxySettingsOf(environment.env)),
    processes: environment.processes ?? createProcessRunner(clock, environment.atExit),
    redactor: environment.redactor ?? createRedactor(secretValues(environment.env)),
  };
}

import type { ProjectPlace } from "../config/locate-root.js";
import { loadRegisteredReporters } from "../config/load-registered.js";
import { createModuleReporter } from "../reporters/create-module-reporter.js";
import type { ReporterDefinition } from "../reporters/define-reporter.js";
import { success, type Result } from "../result.js";
import { completeEnvironment, type Environment } from "../run/environment.js";

/**
 * The reporters that the modules in `extensions:` of a config register, for `renderToString` and all else that takes a
 * reporter. Each renders in its own worker. Fails if a config or a module cannot be used.
 */
export async function loadReporters(
  place: ProjectPlace,
  environment: Environment = {},
): Promise<Result<readonly ReporterDefinition[]>> {
  const world = completeEnvironment(environment);
  // The report of an interrupted run is still wanted.
  const { signal } = new AbortController();
  const registered = await loadRegisteredReporters(place, { ...world, signal });
  if (!registered.success) return registered;
  return success([...registered.data.values()].map((reporter) => createModuleReporter(reporter, world)));
}

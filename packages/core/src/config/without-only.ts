import type { ResolvedConfig } from "./resolved-config.js";

/** The config with all of its tests: one that is run alone for a while does not make the others superfluous. */
export function withoutOnly(config: ResolvedConfig): ResolvedConfig {
  const suites = config.suites.map((suite) =>
    suite.status === "broken" ? suite : { ...suite, tests: suite.tests.map((test) => ({ ...test, only: false })) },
  );
  return { ...config, suites };
}

import type { KindlmConfig, SuiteConfig } from "../../generated/config-types.js";

/** A value, or what computes it. */
export type Computed<T> = T | Promise<T> | (() => T | Promise<T>);

/** A test as {@link SuiteConfig} has it, whose rows may be computed. */
export type TestInput = Omit<SuiteConfig["tests"][number], "rows"> & {
  readonly rows?: Computed<NonNullable<SuiteConfig["tests"][number]["rows"]>>;
};

/** A suite as {@link SuiteConfig} has it, whose tests may be computed. */
export type SuiteInput = Omit<SuiteConfig, "tests"> & { readonly tests: Computed<readonly TestInput[]> };

/** A config as {@link KindlmConfig} has it, whose suites, tests and rows may be computed. */
export type ConfigInput = Omit<KindlmConfig, "suites"> & {
  readonly suites: Computed<readonly (string | Computed<SuiteInput>)[]>;
};

/** What a config module can depend on. */
export interface ConfigContext {
  /** The environment with `.env` and `.env.local` of the folder of the config. */
  env: Readonly<Record<string, string | undefined>>;
  /** Whether the run is in CI. */
  ci: boolean;
}

/** What a config module exports by default. */
export type ConfigExport =
  | ConfigInput
  | Promise<ConfigInput>
  | ((context: ConfigContext) => ConfigInput | Promise<ConfigInput>);

/**
 * Declares the config of a module such as `kindlm.config.ts`: `export default defineConfig({ … })`, or a function that
 * returns the config. Returns what it is given, and checks its type alone; KindLM checks the rest when it reads the module.
 */
export function defineConfig<Config extends ConfigExport>(config: Config): Config {
  return config;
}

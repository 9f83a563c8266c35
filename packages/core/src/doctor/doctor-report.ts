/** One thing that was looked at. */
export interface DoctorCheck {
  /** What kind of thing it is; stable, for programs. */
  name:
    | "node"
    | "kindlm"
    | "config"
    | "suite"
    | "env_file"
    | "package"
    | "clock"
    | "uploads"
    | "terminal"
    | "key"
    | "server"
    | "model"
    | "price";
  /** The provider and its address, such as `OpenAI (https://api.openai.com/v1)`; null for what concerns none. */
  provider: string | null;
  /** The model's id in the config, for what concerns one model. */
  model?: string;
  /** `info` is worth knowing, `warning` may be wrong, `failed` keeps tests from running. */
  status: "ok" | "info" | "warning" | "failed";
  /** What was found, one line. Names of variables, never a value of one. */
  message: string;
  /** What to do, one line. */
  fix?: string;
  /** More for those who look closer, such as the address that was asked. */
  details?: readonly string[];
}

/** What a look at the surroundings found. */
export interface DoctorReport {
  /** False when a check failed; warnings do not count. */
  isHealthy: boolean;
  /** What concerns no provider first, then provider by provider. */
  checks: readonly DoctorCheck[];
}

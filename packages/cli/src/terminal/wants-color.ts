import type { CliEnvironment } from "../environment.js";
import type { OutputStream } from "../sinks/output-stream.js";

/** Set by CI systems whose logs show colors. */
const colorful = [
  "GITHUB_ACTIONS",
  "GITEA_ACTIONS",
  "GITLAB_CI",
  "CIRCLECI",
  "BUILDKITE",
  "TRAVIS",
  "APPVEYOR",
  "DRONE",
  "TF_BUILD",
  "TEAMCITY_VERSION",
];

/** `--no-color` and NO_COLOR win over FORCE_COLOR, which wins over what the stream is. A log is a pipe, never a file. */
export function wantsColor(environment: CliEnvironment, stream: OutputStream, flag: boolean): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = environment.env;
  if (!flag || (NO_COLOR !== undefined && NO_COLOR !== "")) return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== "") return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  if (stream.isTerminal) return TERM !== "dumb";
  return stream.isPipe && colorful.some((name) => (environment.env[name] ?? "") !== "");
}

import type { ResolvedConfig } from "../config/resolved-config.js";
import { kindlmVersion } from "../version.js";
import type { DoctorCheck } from "./doctor-report.js";
import { plural } from "../values/plural.js";

/** The oldest Node.js that KindLM runs on, as its packages say under `engines`. */
export const oldestNode = [20, 19] as const;

/** KindLM itself and what it runs on. `nodeVersion` is such as `v22.18.0`. */
export function checkProgram(nodeVersion: string): readonly DoctorCheck[] {
  const version = nodeVersion.replace(/^v/, "");
  const needed = `KindLM needs ${oldestNode.join(".")} or newer`;
  return [
    { name: "kindlm", provider: null, status: "ok", message: kindlmVersion },
    isAtLeast(nodeVersion, oldestNode)
      ? { name: "node", provider: null, status: "ok", message: `${version} (${needed})` }
      : { name: "node", provider: null, status: "failed", message: `${version} is too old`, fix: needed },
  ];
}

/** The files that were found, and what is in them. `models` is how many of them tests use. */
export function checkConfig(config: ResolvedConfig, models: number): readonly DoctorCheck[] {
  const { files, suites, warnings, envFiles } = config;
  const tests = suites.reduce((sum, suite) => sum + suite.tests.length, 0);
  const counts = [plural(suites.length, "suite"), plural(tests, "test"), plural(models, "model")].join(", ");
  const check: DoctorCheck = {
    name: "config",
    provider: null,
    status: warnings.length === 0 ? "ok" : "warning",
    message: `${files.join(", ") || "config object"}: ${counts}${warnings.length === 0 ? "" : `, ${plural(warnings.length, "warning")}`}`,
  };
  if (warnings.length > 0) check.fix = "kindlm validate shows them";
  return [
    check,
    ...suites.flatMap((suite): readonly DoctorCheck[] =>
      suite.status === "ready"
        ? []
        : [
            {
              name: "suite",
              provider: null,
              status: "failed",
              message: `${suite.name} cannot run: ${suite.error.message}`,
              fix: "kindlm validate shows where",
            },
          ],
    ),
    ...envFiles.map((file): DoctorCheck => ({
      name: "env_file",
      provider: null,
      status: "ok",
      message: `${file} is read`,
    })),
  ];
}

/** Compares a version such as `v22.18.0` with `[22, 18]`. */
export function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.replace(/^v/, "").split(".").map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}

import { defineReporter } from "@kindlm/core";
import type { ReportOptions } from "../report-options.js";

/**
 * Annotations for GitHub Actions on the lines of the config. What speaks of the whole run comes first, since GitHub shows
 * only the first ones.
 */
export const githubReporter = defineReporter<ReportOptions>({
  name: "github",
  summary: "Annotations for GitHub Actions, on the lines of the config",
  extension: "txt",
  format: "commands",
  load: async () => (await import("./render-github.js")).renderGithub,
});

import { defineReporter } from "@kindlm/core";

/**
 * Annotations for GitHub Actions on the lines of the config. What speaks of the whole run comes first, since GitHub shows
 * only the first ones.
 */
export const githubReporter = defineReporter({
  name: "github",
  summary: "Annotations for GitHub Actions, on the lines of the config",
  extension: "txt",
  format: "commands",
  load: async () => (await import("./render-github.js")).renderGithub,
});

import { defineReporter } from "../define-reporter.js";

/** TAP 14, https://testanything.org/tap-version-14-specification.html */
export const tapReporter = defineReporter({
  name: "tap",
  summary: "TAP version 14",
  extension: "tap",
  format: "text",
  load: async () => (await import("./render-tap.js")).renderTap,
});

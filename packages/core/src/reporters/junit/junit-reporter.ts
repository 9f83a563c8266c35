import { defineReporter } from "../define-reporter.js";

/** JUnit XML as CI systems read it: failed is `failure`, errored is `error`, skipped is `skipped`. */
export const junitReporter = defineReporter({
  name: "junit",
  summary: "JUnit XML for CI systems",
  extension: "xml",
  format: "markup",
  load: async () => (await import("./render-junit.js")).renderJunit,
});

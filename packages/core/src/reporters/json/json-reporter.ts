import { defineReporter } from "../define-reporter.js";

/** One line per test, and one test at a time, so that memory stays flat however long the run was. */
export const jsonReporter = defineReporter({
  name: "json",
  summary: "The whole result as versioned JSON, one line per test",
  extension: "json",
  format: "json",
  load: async () => (await import("./render-json.js")).renderJson,
});

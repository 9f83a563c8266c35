import { defineReporter, type ReporterDefinition } from "../define-reporter.js";

/** One line per test, and one test at a time, so that memory stays flat however long the run was. */
export const jsonReporter: ReporterDefinition = defineReporter({
  name: "json",
  summary: "The whole result as versioned JSON, one line per test",
  extension: "json",
  format: "json",
  load: async () => (await import("./render-json.js")).renderJson,
});

jsonReporter.loadRenderCase = async () => (await import("./render-json.js")).renderCase;

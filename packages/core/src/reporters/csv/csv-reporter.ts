import { defineReporter } from "../define-reporter.js";

/** One line per case, as RFC 4180 has it. */
export const csvReporter = defineReporter({
  name: "csv",
  summary: "One line per case, for spreadsheets",
  extension: "csv",
  format: "text",
  load: async () => (await import("./render-csv.js")).renderCsv,
});

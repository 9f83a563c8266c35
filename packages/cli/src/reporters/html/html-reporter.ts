import { defineReporter } from "@kindlm/core";
import type { ReportOptions } from "../report-options.js";

/** One file with everything in it: the page, and what was said and called in each trial. */
export const htmlReporter = defineReporter<ReportOptions>({
  name: "html",
  summary: "A page with every conversation, in one file that works offline",
  extension: "html",
  format: "markup",
  load: async () => (await import("./render-html.js")).renderHtml,
});

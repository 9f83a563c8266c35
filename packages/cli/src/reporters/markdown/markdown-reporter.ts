import { defineReporter } from "@kindlm/core";
import type { ReportOptions } from "../report-options.js";

/** What changed comes first, details are folded away. Text of models and tools is always code. */
export const markdownReporter = defineReporter<ReportOptions>({
  name: "markdown",
  summary: "Markdown for a job summary, under 65,000 characters",
  extension: "md",
  format: "text",
  load: async () => (await import("./render-markdown.js")).renderMarkdown,
});

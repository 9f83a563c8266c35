import { defineReporter } from "@kindlm/core";
import type { ReportOptions } from "../report-options.js";

/** What the Markdown report says, in a few lines for people who review a change. */
export const prCommentReporter = defineReporter<ReportOptions>({
  name: "pr-comment",
  summary: "Markdown for a comment on a pull request, under 8 kB",
  extension: "md",
  format: "text",
  load: async () => (await import("./render-comment.js")).renderComment,
});

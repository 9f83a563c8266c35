import type { RunUpload } from "@kindlm/core/commands/upload-runs";
import { plural, visibleLine } from "@kindlm/core/program";
import type { RunMessages } from "../listeners/run-messages.js";

/** What became of each run: its page, or why it was not uploaded. */
export function renderUploads(uploads: readonly RunUpload[], messages: RunMessages): string {
  return uploads.map((upload) => renderUpload(upload, messages)).join("");
}

function renderUpload({ run, isPending, sent }: RunUpload, messages: RunMessages): string {
  if (!sent.success) {
    const which = isPending ? messages.advice(`Run ${visibleLine(run)} was not uploaded:`) : "";
    return `${which}${messages.error(sent.error)}`;
  }
  const { url, isKnown, shortened } = sent.data;
  const did = isKnown ? "Was uploaded before" : isPending ? "Uploaded an earlier run" : "Uploaded";
  return messages.advice(`${did}: ${visibleLine(url)}`, "info") + renderShortened(shortened, messages);
}

function renderShortened(cases: readonly string[], messages: RunMessages): string {
  const [first] = cases;
  if (first === undefined) return "";
  const others = cases.length === 1 ? "" : ` and ${plural(cases.length - 1, "other")}`;
  const title = `Uploaded without transcript, which is too large: ${first}${others}`;
  return messages.remark({ title, fix: "The measurements of the case are complete" });
}

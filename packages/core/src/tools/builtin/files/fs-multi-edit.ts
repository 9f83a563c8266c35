import { defineWorkspaceTool } from "../builtin-tool.js";
import { applyEdit } from "./apply-edit.js";

interface EditResult {
  path: string;
  status: "ok" | "error";
  replacements: number;
  message?: string;
}

export const fsMultiEdit = defineWorkspaceTool({
  name: "fs_multi_edit",
  description:
    "Replaces text in several places, of one file or of several.\n\nThe edits are made in their order, each as fs_edit makes it. One that cannot be made does not stop the others: look at the status of each.",
  params: {
    edits: {
      type: "array",
      description: "The edits, in the order in which they are made",
      items: {
        type: "object",
        properties: {
          path: { type: "string", description: "Path of the file, relative to the workspace" },
          old: { type: "string", description: "The text to replace" },
          new: { type: "string", description: "The text that takes its place" },
          replace_all: { type: "boolean", required: false, description: "Replaces every occurrence" },
        },
      },
    },
  },
  async run({ edits }, desk) {
    const results: EditResult[] = [];
    for (const edit of edits) {
      // A later edit may need what an earlier one wrote.
      const edited = await applyEdit(edit, desk);
      results.push(
        edited.success
          ? { path: edited.data.path, status: "ok", replacements: edited.data.replacements }
          : { path: edit.path, status: "error", replacements: 0, message: edited.error },
      );
    }
    return { ok: true, isWhole: true, value: { ok: results.every(({ status }) => status === "ok"), results } };
  },
});

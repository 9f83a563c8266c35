import { defineWorkspaceTool, refuse } from "../builtin-tool.js";
import { applyEdit } from "./apply-edit.js";

export const fsEdit = defineWorkspaceTool({
  name: "fs_edit",
  description:
    "Replaces text in a file of the workspace.\n\nRead the file first, and copy the text in old exactly, with its spaces and line breaks. It must occur once, unless replace_all is set.",
  params: {
    path: { type: "string", description: "Path of the file, relative to the workspace" },
    old: { type: "string", description: "The text to replace" },
    new: { type: "string", description: "The text that takes its place" },
    replace_all: { type: "boolean", required: false, description: "Replaces every occurrence" },
  },
  async run(args, desk) {
    const edited = await applyEdit(args, desk);
    return edited.success ? { ok: true, value: { ok: true, ...edited.data } } : refuse(edited.error);
  },
});

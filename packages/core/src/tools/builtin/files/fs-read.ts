import { defineWorkspaceTool, refuse } from "../builtin-tool.js";

/** Lines that one call returns at most, and characters of each. */
const mostLines = 2_000;
const mostCharacters = 200_000;

export const fsRead = defineWorkspaceTool({
  name: "fs_read",
  description:
    "Reads a text file of the workspace, or a part of it by lines.\n\nRead a file before you change it: edits of a file that you have not read, or that has changed since, are refused. For a long file, set offset and limit; truncated says that there is more.",
  params: {
    path: { type: "string", description: "Path of the file, relative to the workspace" },
    offset: { type: "integer", required: false, description: "First line, from 1" },
    limit: { type: "integer", required: false, description: "How many lines" },
  },
  attributes: { readonly: true, no_effect: true },
  async run({ path, offset = 1, limit = mostLines }, { pool }) {
    if (offset < 1 || limit < 1) return refuse("offset and limit must be at least 1");
    const file = await pool.load(path);
    if (!file.success) return refuse(file.error);
    pool.recordRead(file.data);
    const lines = file.data.text.split("\n");
    const shown = lines.slice(offset - 1, offset - 1 + Math.min(limit, mostLines)).join("\n");
    const content = shown.slice(0, mostCharacters);
    const truncated = content.length < shown.length || offset - 1 + Math.min(limit, mostLines) < lines.length;
    return { ok: true, value: { path: file.data.located.path, offset, limit, truncated, content } };
  },
});

import { defineWorkspaceTool, refuse } from "../builtin-tool.js";

export const fsWrite = defineWorkspaceTool({
  name: "fs_write",
  description:
    "Creates a file of the workspace, or replaces all of its text.\n\nRead a file that exists before you replace it. Folders that are missing are created. To change a part of a file, use fs_edit.",
  params: {
    path: { type: "string", description: "Path of the file, relative to the workspace" },
    content: { type: "string", description: "The whole text of the file" },
  },
  async run({ path, content }, { pool, workspace }) {
    const located = await workspace.boundary.locate(path, "write");
    if (!located.success) return refuse(located.error.message);
    if (located.data.stats !== null) {
      const file = await pool.load(path, "write");
      if (!file.success) return refuse(file.error);
      const stale = pool.validateWrite(file.data);
      if (stale !== null) return refuse(stale);
    }
    const saved = await pool.save(located.data, content);
    if (!saved.success) return refuse(saved.error);
    const value = { ok: true, path: located.data.path, bytes: Buffer.byteLength(content), length: content.length };
    return { ok: true, value };
  },
});

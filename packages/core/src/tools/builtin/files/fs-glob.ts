import { defineWorkspaceTool, refuse } from "../builtin-tool.js";
import { findFiles } from "./find-files.js";

const mostMatches = 1_000;

export const fsGlob = defineWorkspaceTool({
  name: "fs_glob",
  description:
    "Finds files of the workspace by a glob, such as src/**/*.ts.\n\nUse it instead of a shell command to see which files there are. Files whose names begin with a dot are found with dot only.",
  params: {
    pattern: { type: "string", description: "The glob, relative to cwd" },
    cwd: { type: "string", required: false, description: "Folder in which to search, relative to the workspace" },
    dot: { type: "boolean", required: false, description: "Finds names that begin with a dot, too" },
    limit: { type: "integer", required: false, description: "How many matches at most" },
  },
  attributes: { readonly: true, no_effect: true },
  async run({ pattern, cwd = ".", dot = false, limit = mostMatches }, { workspace }) {
    const found = await findFiles(workspace, pattern, cwd, dot);
    if (!found.success) return refuse(found.error);
    const matches = found.data.slice(0, Math.max(1, Math.min(limit, mostMatches)));
    return { ok: true, value: { ok: true, pattern, cwd, matches, truncated: matches.length < found.data.length } };
  },
});

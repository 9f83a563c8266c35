import { attemptSync } from "../../../errors/boundary.js";
import { messageOf } from "../../../errors/message-of.js";
import { withinTime } from "../../../matchers/within-time.js";
import { failure, success, type Result } from "../../../result.js";
import type { Desk } from "../builtin-session.js";
import { defineWorkspaceTool, refuse } from "../builtin-tool.js";
import type { ReadFile } from "./file-pool.js";
import { findFiles } from "./find-files.js";

const mostMatches = 200;
const previewLength = 300;
const filesAtOnce = 16;

interface GrepMatch {
  path: string;
  /** From 1. */
  line: number;
  /** From 1. */
  column: number;
  preview: string;
}

export const fsGrep = defineWorkspaceTool({
  name: "fs_grep",
  description:
    "Searches files of the workspace for text, line by line.\n\npath is a file, a folder, which is searched with all its folders, or a glob. Set regex to search for a JavaScript regular expression.",
  params: {
    pattern: { type: "string", description: "The text to search for" },
    path: {
      type: "string",
      required: false,
      description: "File, folder or glob, relative to the workspace (all of it)",
    },
    regex: { type: "boolean", required: false, description: "pattern is a regular expression" },
    case_sensitive: { type: "boolean", required: false, description: "Whether upper and lower case differ (true)" },
    limit: { type: "integer", required: false, description: "How many matches at most" },
  },
  attributes: { readonly: true, no_effect: true },
  async run({ pattern, path = ".", regex = false, case_sensitive: isCaseSensitive = true, limit = mostMatches }, desk) {
    if (pattern === "") return refuse("pattern must not be empty");
    const source = regex ? pattern : pattern.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
    const compiled = attemptSync(() => new RegExp(source, isCaseSensitive ? "" : "i"), messageOf);
    if (!compiled.success) return refuse(compiled.error);
    const files = await filesOf(path, desk);
    if (!files.success) return refuse(files.error);
    const most = Math.max(1, Math.min(limit, mostMatches));
    const matches: GrepMatch[] = [];
    for (let next = 0; next < files.data.length && matches.length < most; next += filesAtOnce) {
      // Opening a file waits for the system many times, and a project has thousands of them.
      const read = await Promise.all(files.data.slice(next, next + filesAtOnce).map((file) => desk.pool.load(file)));
      const found = attemptSync(
        () =>
          withinTime(
            () => !regex,
            () => read.flatMap((file) => search(file, compiled.data)),
          ),
        messageOf,
      );
      if (!found.success) return refuse(found.error);
      matches.push(...found.data.slice(0, most - matches.length));
    }
    return { ok: true, value: { ok: true, pattern, path, matches } };
  },
});

async function filesOf(path: string, { workspace }: Desk): Promise<Result<readonly string[], string>> {
  if (/[*?[{]/.test(path)) return findFiles(workspace, path, ".", false);
  const located = await workspace.boundary.locate(path);
  if (!located.success) return failure(located.error.message);
  const { stats } = located.data;
  if (stats === null) return failure(`"${path}" not found`);
  return stats.isDirectory() ? findFiles(workspace, "**/*", path, false) : success([located.data.path]);
}

/** Binary and large files are left out. */
function search(file: Result<ReadFile, string>, pattern: RegExp): readonly GrepMatch[] {
  if (!file.success) return [];
  const { text, located } = file.data;
  const { path } = located;
  return text.split("\n").flatMap((content, index): GrepMatch[] => {
    const at = content.search(pattern);
    return at < 0 ? [] : [{ path, line: index + 1, column: at + 1, preview: content.slice(0, previewLength) }];
  });
}

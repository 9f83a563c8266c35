import { failure, success, type Result } from "../../../result.js";
import type { Desk } from "../builtin-session.js";

/** A replacement of text in a file, as the model asks for it. */
export interface TextEdit {
  path: string;
  old: string;
  new: string;
  replace_all?: boolean;
}

export interface AppliedEdit {
  path: string;
  replacements: number;
  /** Of the file now, in characters. */
  length: number;
}

/** Replaces text in a file of the workspace. Fails with what the model should do instead, and then changes nothing. */
export async function applyEdit(
  { path, old, new: replacement, replace_all: everywhere = false }: TextEdit,
  { pool }: Desk,
): Promise<Result<AppliedEdit, string>> {
  if (old === "") return failure("old must not be empty; use fs_write to create a file");
  if (old === replacement) return failure("old and new are the same text");
  const file = await pool.load(path, "write");
  if (!file.success) return file;
  const { located, text } = file.data;
  const stale = pool.validateWrite(file.data);
  if (stale !== null) return failure(stale);
  const parts = text.split(old);
  const found = parts.length - 1;
  if (found === 0)
    return failure(`The text in old does not occur in "${located.path}". Copy it exactly as fs_read returns it`);
  if (found > 1 && !everywhere) {
    return failure(
      `The text in old occurs ${found} times in "${located.path}". Add the lines around it, or set replace_all`,
    );
  }
  const changed = parts.join(replacement);
  const saved = await pool.save(located, changed);
  if (!saved.success) return saved;
  return success({ path: located.path, replacements: found, length: changed.length });
}

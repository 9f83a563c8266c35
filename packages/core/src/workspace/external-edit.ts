import { failure, success, type Result } from "../result.js";
import type { Boundary } from "./boundary.js";

/** What somebody else does to a file. */
export type ExternalEdit =
  /** The whole text from then on; a file that is not there is created. */
  | { kind: "content"; text: string }
  /** Text at the end. */
  | { kind: "append"; text: string }
  /** Text that is replaced wherever it occurs. */
  | { kind: "replace"; old: string; new: string };

const mostBytes = 10_000_000;

/** Changes a file. Fails with why nothing was changed, in words that follow a colon. */
export async function editFile(
  boundary: Boundary,
  path: string,
  edit: ExternalEdit,
): Promise<Result<{ path: string; text: string }, string>> {
  const located = await boundary.locate(path, "write");
  if (!located.success) return failure(`"${path}" is outside of the workspace`);
  const isNew = located.data.stats === null;
  if (isNew && edit.kind !== "content") return failure(`there is no file "${path}"`);
  const read = isNew ? success(Buffer.alloc(0)) : await boundary.read(located.data, mostBytes);
  if (!read.success) return failure(read.error.message);
  const before = read.data.toString("utf8");
  const text = textAfter(before, edit);
  if (text === before && !isNew) return failure(`it leaves "${path}" as it was`);
  const written = await boundary.write(located.data, text);
  return written.success ? success({ path: located.data.path, text }) : failure(written.error.message);
}

function textAfter(before: string, edit: ExternalEdit): string {
  switch (edit.kind) {
    case "content":
      return edit.text;
    case "append":
      return before + edit.text;
    case "replace":
      return before.replaceAll(edit.old, () => edit.new);
  }
}

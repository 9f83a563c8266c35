import { failure, type Result } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { isRecord } from "../../values/json.js";
import * as z from "../../values/deferred-zod.js";
import type { ExternalEdit } from "../../workspace/external-edit.js";
import type { Workspace } from "../../workspace/workspace.js";
import { workspacePath } from "../../workspace/workspace-schema.js";

/** Somebody else changes a file between a reading of the agent and its edit. */
export interface ExternalEditEffect {
  kind: "external_edit";
  /** Null for the file that the call names as `path`. */
  path: string | null;
  edit: ExternalEdit;
}

/** The folder whose files a fault changes. */
export type EditableFiles = Pick<Workspace, "editFromOutside">;

/** The keys of the fault in a config. */
export const externalEditKeys = {
  path: workspacePath
    .optional()
    .describe("The file, relative to the workspace; if left out, the one in the call's argument `path`"),
  content: z.string().optional().describe("Its whole text from then on; a file that is not there is created"),
  append: z.string().min(1).optional().describe("Text that is added at its end"),
  replace: strictObject({
    old: z.string().min(1).describe("Text in the file, every occurrence"),
    new: z.string().describe("The text that takes its place"),
  })
    .optional()
    .describe("Text in it that is replaced"),
};

interface WrittenEdit {
  path?: string | undefined;
  content?: string | undefined;
  append?: string | undefined;
  replace?: { old: string; new: string } | undefined;
}

/** What is wrong with the keys of the fault; null if it is fine. */
export function flawOfExternalEdit({ content, append, replace }: WrittenEdit): string | null {
  const written = [content, append, replace].filter((one) => one !== undefined).length;
  if (written === 1) return null;
  if (written > 1) return '"content", "append" and "replace" cannot be combined\nRemove all but one of them';
  return 'The fault does not say what is changed\nAdd "content", "append" or "replace"';
}

export function toExternalEdit({
  path = null,
  content,
  append,
  replace,
}: {
  path?: string | null | undefined;
} & Omit<WrittenEdit, "path">): ExternalEditEffect {
  const kind = "external_edit";
  if (replace !== undefined) return { kind, path, edit: { kind: "replace", ...replace } };
  if (append !== undefined) return { kind, path, edit: { kind: "append", text: append } };
  return { kind, path, edit: { kind: "content", text: content ?? "" } };
}

/** Changes the file. Fails with why nothing was changed. */
export async function editWorkspace(
  { path: written, edit }: ExternalEditEffect,
  args: unknown,
  workspace: EditableFiles | null,
): Promise<Result<void, string>> {
  if (workspace === null) return failure("there was no workspace");
  const named = isRecord(args) ? args["path"] : undefined;
  const path = written ?? named;
  if (typeof path !== "string") return failure("its arguments had no path");
  return workspace.editFromOutside(path, edit);
}

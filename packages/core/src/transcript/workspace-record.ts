import { described, list } from "../shape/compound.js";
import { internal } from "../shape/field.js";
import { record } from "../shape/record.js";
import { count, literal, oneOf, text } from "../shape/scalars.js";
import type { Static } from "../shape/shape.js";

/** A file of a workspace that is not as it was at first. */
export const fileChangeShape = record(
  { path: text, change: oneOf(["added", "changed", "deleted"]) },
  {
    /** Absent for binary files, links, and what is too long to be shown. */
    diff: described("Unified diff, cut after 200 lines", text),
    /** Of the whole diff; absent without one. */
    addedLines: described("Lines that the whole diff adds", count),
    deletedLines: described("Lines that the whole diff deletes", count),
    /** A fault changed it, and the agent left it as it was then. */
    isExternal: described("A fault changed it, and the agent left it as it was then", literal(true)),
    /** What stands there now, if it is not a plain file. */
    kind: oneOf(["folder", "link", "binary", "large"]),
    /** Its text now, so that assertions can be evaluated again; absent for what is deleted, binary or large. */
    content: internal(text),
  },
);
export type FileChange = Static<typeof fileChangeShape>;

/** How the commands of a workspace are kept apart from the rest of the machine. */
const sandboxShape = oneOf(["bwrap", "unshare", "none"]);
export type SandboxName = Static<typeof sandboxShape>;

/** What became of the workspace of a trial. */
export const workspaceRecordShape = record(
  { changes: list(fileChangeShape) },
  {
    /** There were more changes than are listed. */
    truncated: described("There were more changes than are listed", literal(true)),
    /** Paths outside of the workspace that the agent's tools were asked to use. */
    escapes: described(
      "Paths outside of the workspace that its tools were asked to use",
      list(record({ path: text, access: oneOf(["read", "write"]) })),
    ),
    /** Absent if no command ran. */
    sandbox: described(
      "Where its commands ran; unshare: with all files of the user; none: with all rights of the user",
      sandboxShape,
    ),
    /** Absolute path of the folder, if it was kept. */
    kept: described("Where the folder is, if it was kept", text),
  },
);
export type WorkspaceRecord = Static<typeof workspaceRecordShape>;

import type { TrialResult } from "@kindlm/core";

type WorkspaceRecord = NonNullable<TrialResult["workspace"]>;
type FileChange = WorkspaceRecord["changes"][number];

/** A file that a trial changed, in words for people; none of them is masked. */
export interface DescribedChange {
  path: string;
  change: FileChange["change"];
  /** Such as `+3 −1`, or what the file is if it has no lines. */
  size: string;
  /** Lines of a unified diff; null if there is none. */
  diff: string | null;
}

/** What became of a workspace: its changed files, and what else is to be said, such as where the folder is. */
export interface DescribedWorkspace {
  changes: readonly DescribedChange[];
  /** What the agent attempted and KindLM refused. */
  refused: readonly string[];
  /** What else; `lack` is among them. */
  remarks: readonly string[];
  /** What the sandbox of its commands lacked; null if nothing, or there were none. */
  lack: string | null;
}

const lacks = {
  none: "commands ran without a sandbox",
  unshare: "commands ran in a sandbox that does not keep files apart",
  bwrap: null,
} as const;

/** Null for a trial without a workspace, and for one in which there is nothing to tell. */
export function describeWorkspace({ workspace }: Pick<TrialResult, "workspace">): DescribedWorkspace | null {
  if (workspace === undefined) return null;
  const { changes, escapes = [], truncated, sandbox = "bwrap" } = workspace;
  const lack = lacks[sandbox];
  const refused = escapes.map(({ path, access }) => `${access} of ${path}, outside of the workspace, refused`);
  const remarks = [
    ...(truncated === true ? ["more files changed than are listed"] : []),
    ...(lack === null ? [] : [lack]),
    ...whereKept({ workspace }),
  ];
  const described = withoutParents(changes).map((one) => describeChange(one));
  const isNothing = described.length + refused.length + remarks.length === 0;
  return isNothing ? null : { changes: described, refused, remarks, lack };
}

/** Where the folder of a trial is, if it was kept. */
export function whereKept({ workspace }: Pick<TrialResult, "workspace">): readonly string[] {
  return workspace?.kept === undefined ? [] : [`kept in ${workspace.kept}`];
}

/** The files in a folder are listed instead of the folder. */
function withoutParents(changes: readonly FileChange[]): readonly FileChange[] {
  const parents = new Set<string>();
  for (const { path } of changes)
    for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) parents.add(path.slice(0, at));
  return changes.filter(({ kind, path }) => kind !== "folder" || !parents.has(path));
}

const kinds = { folder: "folder", link: "link", binary: "binary", large: "too large to show" } as const;

function describeChange({
  path,
  change,
  kind,
  diff = "",
  addedLines,
  deletedLines,
  isExternal,
}: FileChange): DescribedChange {
  const lines = [
    ...(addedLines === undefined || addedLines === 0 ? [] : [`+${addedLines}`]),
    ...(deletedLines === undefined || deletedLines === 0 ? [] : [`−${deletedLines}`]),
  ];
  const size = kind === undefined ? (lines.length === 0 ? "no lines" : lines.join(" ")) : kinds[kind];
  const by = isExternal === true ? ", by a fault" : "";
  return { path, change, size: size + by, diff: diff === "" ? null : diff };
}

import { useSignal } from "@preact/signals";
import type { ReportFile, ReportFiles } from "../report-detail.js";
import { DiffLines, type DiffLine } from "./diff-lines.js";

/** Files whose diffs are open at first. */
const mostOpen = 3;
const classes = { added: "passed", changed: "", deleted: "failed" };
const sides = { before: "deleted", after: "added" };

/** What became of the workspace of a trial. What is in the files is text and nothing else. */
export function ChangedFiles({ files: { changes, remarks } }: { files: ReportFiles }) {
  return (
    <section aria-label="Files">
      <h3>Files</h3>
      {changes.map((file, at) => (
        <ChangedFile key={file.path} file={file} isOpenFirst={at < mostOpen} />
      ))}
      {remarks.map((text, at) => (
        <p key={at} class="meta">
          {text}
        </p>
      ))}
    </section>
  );
}

function ChangedFile({ file: { path, change, size, diff }, isOpenFirst }: { file: ReportFile; isOpenFirst: boolean }) {
  const isOpen = useSignal(isOpenFirst);
  const head = (
    <>
      <span class={classes[change]}>{change}</span> <code>{path}</code> {size}
    </>
  );
  if (diff === undefined) return <p class="file">{head}</p>;
  return (
    <details class="file" open={isOpen.value} onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>{head}</summary>
      {isOpen.value ? <DiffLines lines={linesOf(diff)} sides={sides} /> : null}
    </details>
  );
}

function linesOf(diff: string): readonly DiffLine[] {
  return diff
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => {
      const side = line.startsWith("+") ? "after" : line.startsWith("-") ? "before" : "both";
      return { side, text: side === "both" && !line.startsWith(" ") ? line : line.slice(1) };
    });
}

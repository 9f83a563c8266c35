import { visibleLine } from "@kindlm/core/program";
import { cutName } from "./cut-name.js";

interface NameProps {
  text: string;
  /** Whether it is what the page is about, and shown whatever its length. */
  isWhole?: boolean;
}

/** A name that somebody chose, on one line: control characters are shown, and its direction does not change what follows it. */
export function Name({ text, isWhole = false }: NameProps) {
  const line = visibleLine(text);
  const shown = isWhole ? line : cutName(line);
  if (shown === line) return <bdi class="name">{line}</bdi>;
  return (
    <bdi class="name" title={line}>
      {shown}
    </bdi>
  );
}

export type Status = "passed" | "failed" | "errored" | "skipped";

const signs: Readonly<Record<Status, string>> = { passed: "✓", failed: "✗", errored: "!", skipped: "–" };

/** The sign of a status, with its word for those who cannot see it. */
export function Sign({ status, isSilent = false }: { status: Status; isSilent?: boolean }) {
  return (
    <span class={`sign ${status}`}>
      <span aria-hidden="true">{signs[status]}</span>
      {isSilent ? null : <span class="sr">{`${status} `}</span>}
    </span>
  );
}

/** Figures with their names. Those that are null are not known, and left out. */
export function Figures({ of }: { of: readonly (readonly [string, unknown])[] }) {
  return (
    <dl class="figures">
      {of.map(([name, figure]) =>
        figure === null ? null : (
          <div>
            <dt>{name}</dt>
            <dd>{figure}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

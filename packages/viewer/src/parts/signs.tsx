import type { ComponentChildren } from "preact";
import { signs, statusOf } from "../logic/format.js";
import type { ReportCase, ReportStatus } from "../report-data.js";

/** The sign of a status with its word for those who cannot see it. */
export function Sign({ status, isSilent = false }: { status: ReportStatus; isSilent?: boolean }) {
  return (
    <span class={`sign ${status}`}>
      <span aria-hidden="true">{signs[status]}</span>
      {isSilent ? null : <span class="sr">{status} </span>}
    </span>
  );
}

/** Text for screen readers only. */
export function Spoken({ children }: { children: ComponentChildren }) {
  return <span class="sr">{children}</span>;
}

const mostDots = 10;

/** How the trials of a case ended, one sign each. */
export function TrialSigns({ trials, passes, counted }: Pick<ReportCase, "trials" | "passes" | "counted">) {
  if (trials === "") return null;
  return (
    <span class="trials">
      <Spoken>{`${passes} of ${counted} trials passed`}</Spoken>
      <span aria-hidden="true">
        {trials.length > mostDots || trials.length === 1 ? (
          <span class="kn">{counted === 0 ? "" : `${passes}/${counted}`}</span>
        ) : (
          trials.split("").map((letter, at) => (
            <span key={at} class={statusOf(letter)}>
              {signs[statusOf(letter)]}
            </span>
          ))
        )}
      </span>
    </span>
  );
}

/** Further facts of a case, each with its sign and its word. */
export function Badges({ of }: { of: ReportCase }) {
  const { isFlaky, change, isCritical, status, reason } = of;
  return (
    <>
      {isFlaky ? <span class="badge flaky">~ flaky</span> : null}
      {change === "regressed" ? <span class="badge failed">▼ regressed</span> : null}
      {change === "improved" ? <span class="badge passed">▲ improved</span> : null}
      {isCritical ? <span class="badge">critical</span> : null}
      {status === "failed" && reason !== undefined ? <span class="badge">failure allowed</span> : null}
    </>
  );
}

/** The id of a case, its parts told by weight. */
export function CaseId({ id, suite }: { id: string; suite: string }) {
  const at = id.startsWith(`${suite}/`) ? suite.length + 1 : 0;
  const variant = id.lastIndexOf("@");
  const [head, name, tail] =
    variant > at ? [id.slice(0, at), id.slice(at, variant), id.slice(variant)] : [id.slice(0, at), id.slice(at), ""];
  return (
    <>
      <span class="dim">{head}</span>
      <b>{name}</b>
      <span class="dim">{tail}</span>
    </>
  );
}

import { Spoken } from "./signs.js";

export interface DiffLine {
  /** Which of two sides has the line. */
  side: "both" | "before" | "after";
  text: string;
}

const signs = { both: " ", before: "−", after: "+" };

/** Lines with their signs. `sides` says to those who cannot see the signs whose a line is. */
export function DiffLines({
  lines,
  sides,
}: {
  lines: readonly DiffLine[];
  sides: Readonly<Record<"before" | "after", string>>;
}) {
  return (
    <ol class="diff">
      {lines.map(({ side, text }, at) => (
        <li key={at} class={side}>
          <span aria-hidden="true">{signs[side]}</span>
          {side === "both" ? null : <Spoken>{sides[side]}: </Spoken>}
          <code>{text}</code>
        </li>
      ))}
    </ol>
  );
}

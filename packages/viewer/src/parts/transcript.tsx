import { useSignal } from "@preact/signals";
import { renderDuration } from "../../../core/src/values/duration.js";
import type { ReportField, ReportRow } from "../report-detail.js";
import { Spoken } from "./signs.js";

/** Everything that was said and done, in its order. What a model wrote is text and nothing else. */
export function Transcript({ rows, areCollapsed }: { rows: readonly ReportRow[]; areCollapsed: boolean }) {
  if (rows.length === 0) return <p class="nothing">Nothing was said.</p>;
  return (
    <ol class="transcript">
      {rows.map((row, at) => (
        <Row key={`${at} ${areCollapsed}`} row={row} isCollapsed={areCollapsed} />
      ))}
    </ol>
  );
}

function Row({ row, isCollapsed }: { row: ReportRow; isCollapsed: boolean }) {
  const isFolded = useSignal(isCollapsed);
  const { by, note, isTrouble, atMs, tool, text, fields = [], changes = [], agents = [], name = by } = row;
  const isDiffering = fields.some(({ expected }) => expected !== undefined);
  const kind = tool === undefined ? by : "call";
  return (
    <li
      class={`${kind} ${isTrouble === true ? "trouble" : ""} ${isFolded.value ? "folded" : ""} level-${Math.min(agents.length, 4)}`}
    >
      {agents.length === 0 ? null : <Spoken>{`Sub-agent ${agents.join(", ")}: `}</Spoken>}
      <button
        type="button"
        class="who"
        aria-expanded={!isFolded.value}
        onClick={() => (isFolded.value = !isFolded.value)}
      >
        {name}
      </button>
      <div class="said">
        {tool === undefined ? null : <code class="tool">{tool}</code>}
        {text === undefined || text === "" ? null : (
          <p class={kind === "call" || by === "tool" ? "code" : ""}>{text}</p>
        )}
        {fields.length === 0 ? null : <Fields fields={fields} isList={isDiffering || tool !== undefined} />}
        {changes.map(({ path, from, to }) => (
          <p key={path} class="change">
            <Spoken>State changed: </Spoken>
            <code>{path}</code> {from ?? "nothing"} → {to ?? "nothing"}
          </p>
        ))}
      </div>
      <span class="aside">
        {note === undefined ? null : <span class="note">{note}</span>}
        {atMs === undefined ? null : <time>{renderDuration(atMs)}</time>}
      </span>
    </li>
  );
}

/** Arguments one below the other, so that the one that differs is seen; fields of a result in a line. */
function Fields({ fields, isList }: { fields: readonly ReportField[]; isList: boolean }) {
  return (
    <dl class={isList ? "args" : "args inline"}>
      {fields.map(({ name, value, expected }) => (
        <div key={name} class={expected === undefined ? "" : "rejected"}>
          <dt>
            {expected === undefined ? null : (
              <>
                <span class="sign failed" aria-hidden="true">
                  ✗
                </span>
                <Spoken>rejected: </Spoken>
              </>
            )}
            {name}
          </dt>
          <dd>
            {expected === undefined ? value : <mark>{value}</mark>}
            {expected === undefined ? null : " "}
            {expected === undefined ? null : <span class="expected">expected {expected}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

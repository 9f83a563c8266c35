import { plural } from "../../../core/src/values/plural.js";
import type { ReportIndex, ReportStatus } from "../report-data.js";
import type { ReportStore } from "../state/report-store.js";
import { Sign } from "./signs.js";

interface FindingsProps {
  store: ReportStore;
  title: string;
  status: ReportStatus;
  findings: readonly { title: string; more: string | null; cases: number }[];
  /** What of a case has the number of its finding. */
  by: "kind" | "cause";
}

/** Numbered as in the terminal; each leads to its cases, of which the first opens. */
function Findings({ store, title, status, findings, by }: FindingsProps) {
  if (findings.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3>
        <Sign status={status} isSilent /> {title}
      </h3>
      <ol class={`kinds ${by}`}>
        {findings.map((one, at) => (
          <li key={one.title + one.more}>
            <button
              type="button"
              onClick={() => {
                const first = store.index.cases.find((candidate) => candidate[by] === at + 1);
                store.go({ view: "cases", [by]: at + 1, case: first?.id ?? null, trial: null });
              }}
            >
              <span class="title">{one.title}</span>
              <span class="meta">
                {one.more === null ? "" : `${one.more} · `}
                {plural(one.cases, "case")}
              </span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

export function Kinds({ store }: { store: ReportStore }) {
  const findings = store.index.kinds.map(({ title, where, cases }) => ({ title, more: where, cases }));
  return <Findings store={store} title="Kinds of failure" status="failed" findings={findings} by="kind" />;
}

export function Causes({ store }: { store: ReportStore }) {
  const findings = store.index.causes.map(({ title, fix, cases }) => ({ title, more: fix, cases }));
  const title = "Causes of errors, which say nothing about the agent";
  return <Findings store={store} title={title} status="errored" findings={findings} by="cause" />;
}

/** The gates of a run; only those that failed, where there is no room for more. */
export function Gates({ store, areAll }: { store: ReportStore; areAll: boolean }) {
  const gates = store.index.gates.filter(({ pass }) => areAll || !pass);
  const title = areAll ? "Gates" : "Failed gates";
  if (gates.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <ul class="plain">
        {gates.map((gate) => (
          <li key={`${gate.name} ${gate.message}`}>
            <Sign status={gate.pass ? "passed" : "failed"} /> {gate.message}
            {gate.scope === "suite" ? <span class="meta"> {gate.suite}</span> : null}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Why the run failed, and what else a reader must know. */
export function Notes({ store: { index } }: { store: ReportStore }) {
  const { reasons, notes } = index.head;
  return (
    <>
      {[...reasons, ...notes].map((text) => (
        <p key={text} class="dim">
          {text}
        </p>
      ))}
      {(index.tables ?? []).map((table) => (
        <FigureTable key={table.title} table={table} />
      ))}
    </>
  );
}

function FigureTable({ table: { title, rows } }: { table: NonNullable<ReportIndex["tables"]>[number] }) {
  const [head = [], ...others] = rows;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <div class="wide">
        <table>
          <thead>
            <tr>
              {head.map((cell) => (
                <th key={cell}>{cell}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {others.map(([name = "", ...cells]) => (
              <tr key={name}>
                <th>{name}</th>
                {cells.map((cell, index) => (
                  <td key={head[index + 1]}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

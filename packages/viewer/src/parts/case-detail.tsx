import { useEffect, useRef } from "preact/hooks";
import { renderDuration } from "../../../core/src/values/duration.js";
import { usd } from "../logic/format.js";
import { groupTrials } from "../logic/group-trials.js";
import { nextFailure } from "../logic/select-cases.js";
import type { ReportTrial } from "../report-detail.js";
import { isSamplingIn, type OpenCase, type ReportStore } from "../state/report-store.js";
import { CopyButton } from "./copy-button.js";
import { Badges, CaseId, Sign, Spoken } from "./signs.js";
import { TrialPanel } from "./trial-panel.js";

/** The case that is open, with one of its trials. */
export function CaseDetail({ store, open }: { store: ReportStore; open: OpenCase }) {
  const { index, trial } = store;
  const { case: one, detail, problem } = open;
  const suite = index.suites[one.suite]?.name ?? "";
  const isSampling = isSamplingIn(store);
  const shown = trial.value;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // Where the list makes way for the case, the focus goes with the reader.
    const isAlone = document.querySelector<HTMLElement>(".cases")?.offsetParent === null;
    if (isAlone) heading.current?.focus();
  }, [open.place]);
  return (
    <article class="detail" aria-labelledby="case-id" aria-busy={detail === null && problem === null}>
      <header>
        <div class="actions">
          <button type="button" class="back" onClick={() => store.go({ case: null, trial: null })}>
            ← All cases
          </button>
          {detail === null ? null : <CopyButton label="Copy command" text={detail.command} store={store} />}
          {one.position === null ? null : <CopyButton label="Copy position" text={one.position} store={store} />}
          <CopyButton label="Copy ID" text={one.id} store={store} />
          <Failures store={store} place={open.place} />
        </div>
        <h2 id="case-id" ref={heading} tabIndex={-1}>
          {isSampling ? null : <Sign status={one.status} />}
          <code>
            <CaseId id={one.id} suite={suite} />
          </code>
        </h2>
        <CaseFacts store={store} open={open} isSilent={isSampling} />
        {isSampling ? null : <Why store={store} open={open} />}
      </header>
      {problem === null ? null : <p class="problem">{problem}</p>}
      {detail === null || shown === null ? null : (
        <>
          <TrialTabs store={store} trials={detail.trials} shown={shown} isSilent={isSampling} />
          <TrialPanel store={store} caseId={one.id} trial={shown} />
        </>
      )}
    </article>
  );
}

function CaseFacts({ store, open, isSilent }: { store: ReportStore; open: OpenCase; isSilent: boolean }) {
  const { case: one } = open;
  const isSkipped = one.status === "skipped";
  const facts = [
    isSkipped ? `skipped: ${one.reason ?? ""}` : null,
    isSilent || isSkipped
      ? null
      : one.counted === 0
        ? "no trial counts"
        : `${one.passes} of ${one.counted} passed, needs ${one.required}`,
    isSkipped ? null : `${renderDuration(one.latencyMs)} per trial`,
    isSkipped ? null : usd(one.costUsd),
  ];
  return (
    <p class="meta">
      {facts.map((fact) => (fact === null ? null : <span key={fact}>{fact}</span>))}
      {one.position === null ? null : <code>{one.position}</code>}
      {isSilent ? null : <Badges of={one} />}
      {one.tags.map((tag) => (
        <span key={tag} class="badge">
          {store.index.tags[tag]}
        </span>
      ))}
    </p>
  );
}

function Failures({ store, place }: { store: ReportStore; place: number }) {
  const { index, shown } = store;
  const [before, after] = [nextFailure(index, shown.value, place, -1), nextFailure(index, shown.value, place, 1)];
  return (
    <span class="failures">
      <button type="button" aria-disabled={before === null} onClick={() => store.openCase(before ?? place)}>
        ↑ Previous failure
      </button>
      <button type="button" aria-disabled={after === null} onClick={() => store.openCase(after ?? place)}>
        ↓ Next failure
      </button>
    </span>
  );
}

/** The kind of the failure, or the cause of the error, with the way to the others like it. */
function Why({ store, open: { case: one } }: { store: ReportStore; open: OpenCase }) {
  const { kinds, causes } = store.index;
  const kind = one.kind === undefined ? undefined : kinds[one.kind - 1];
  const cause = one.cause === undefined ? undefined : causes[one.cause - 1];
  if (kind !== undefined) {
    return (
      <p class="banner failed">
        <span>
          <b>{kind.title}</b>
          <span class="meta">{kind.where}</span>
        </span>
        {kind.cases < 2 ? null : (
          <button type="button" class="link" onClick={() => store.go({ kind: one.kind ?? null })}>
            {kind.cases} cases alike
          </button>
        )}
      </p>
    );
  }
  if (cause === undefined) return null;
  return (
    <p class="banner errored">
      <span>
        <b>{cause.title}</b>
        {cause.fix === null ? null : <span class="meta">{cause.fix}</span>}
      </span>
      {cause.cases < 2 ? null : (
        <button type="button" class="link" onClick={() => store.go({ cause: one.cause ?? null })}>
          {cause.cases} cases alike
        </button>
      )}
    </p>
  );
}

interface TabsProps {
  store: ReportStore;
  trials: readonly ReportTrial[];
  shown: ReportTrial;
  /** Whether the tabs say how the trials ended. */
  isSilent: boolean;
}

/** A tab for each group of trials that are alike, and below it the way to each of them. */
function TrialTabs({ store, trials, shown, isSilent }: TabsProps) {
  const groups = isSilent ? trials.map(({ trial, status }) => ({ status, trials: [trial] })) : groupTrials(trials);
  const current = groups.findIndex((group) => group.trials.includes(shown.trial));
  const show = (trial: number | undefined): void => store.go({ trial: trial ?? null }, { isStep: false });
  const step = (event: KeyboardEvent): void => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const next = groups[(current + (by ?? 0) + groups.length) % groups.length];
    if (by === undefined || next === undefined) return;
    event.preventDefault();
    show(next.trials[0]);
    document.getElementById(`tab-${groups.indexOf(next)}`)?.focus();
  };
  const alike = groups[current]?.trials ?? [];
  return (
    <div class="trial-tabs">
      <div role="tablist" aria-label="Trials" onKeyDown={step}>
        {groups.map((group, at) => (
          <button
            key={group.trials[0]}
            id={`tab-${at}`}
            type="button"
            role="tab"
            aria-selected={at === current}
            aria-controls="trial"
            tabIndex={at === current ? 0 : -1}
            onClick={() => show(group.trials[0])}
          >
            {isSilent ? null : <Sign status={group.status} />}
            {group.trials.length === 1 ? "Trial" : "Trials"} {shortList(group.trials)}
          </button>
        ))}
      </div>
      {alike.length < 2 ? null : (
        <p class="alike">
          <span>The same calls in the same order in</span>
          {alike.map((number) => (
            <button key={number} type="button" aria-pressed={number === shown.trial} onClick={() => show(number)}>
              <Spoken>Trial </Spoken>
              {number}
            </button>
          ))}
        </p>
      )}
    </div>
  );
}

function shortList(numbers: readonly number[]): string {
  return numbers.length <= 5 ? numbers.join(", ") : `${numbers.slice(0, 4).join(", ")} and ${numbers.length - 4} more`;
}

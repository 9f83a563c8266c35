import { plural, renderCount } from "../../../core/src/values/plural.js";
import { renderDuration } from "../../../core/src/values/duration.js";
import { judgesOf, type NamedJudge } from "../logic/export-labels.js";
import { score, usd } from "../logic/format.js";
import type { ReportAssertion, ReportTrial } from "../report-detail.js";
import { isFull, type ReportStore } from "../state/report-store.js";
import { ChangedFiles } from "./changed-files.js";
import { CopyButton } from "./copy-button.js";
import { Sign } from "./signs.js";
import { Timeline } from "./timeline.js";
import { Transcript } from "./transcript.js";

interface TrialProps {
  store: ReportStore;
  caseId: string;
  trial: ReportTrial;
}

/** All that happened in a trial. */
export function TrialPanel({ store, caseId, trial }: TrialProps) {
  const { areCollapsed } = store;
  const raw = JSON.stringify(trial.messages, null, 2);
  return (
    <div id="trial" role="tabpanel" aria-label={`Trial ${trial.trial}`} tabIndex={0}>
      <Facts trial={trial} />
      <TrialError store={store} trial={trial} />
      <Assertions store={store} caseId={caseId} trial={trial} />
      <Timeline trial={trial} />
      {trial.files === undefined ? null : <ChangedFiles key={`${caseId} ${trial.trial}`} files={trial.files} />}
      <section aria-label="Transcript">
        <div class="head">
          <h3>Transcript</h3>
          {trial.rows === null || trial.rows.length === 0 ? null : (
            <button
              type="button"
              aria-pressed={areCollapsed.value}
              onClick={() => (areCollapsed.value = !areCollapsed.value)}
            >
              Collapse all
            </button>
          )}
        </div>
        {trial.rows === null ? (
          <p class="nothing">
            {store.index.head.noTranscript ?? (
              <>
                The transcripts of passed trials were left out to keep this file small. Trial {trial.trial} is still in
                the journal: use <code>{store.index.head.program} show</code>.
              </>
            )}
          </p>
        ) : (
          <Transcript rows={trial.rows} areCollapsed={areCollapsed.value} />
        )}
        {trial.messages.length === 0 ? null : (
          <details class="raw" key={`${caseId} ${trial.trial}`}>
            <summary>Raw JSON</summary>
            <CopyButton label="Copy JSON" text={raw} store={store} />
            <pre tabIndex={0} aria-label="Messages as JSON">
              {raw}
            </pre>
          </details>
        )}
      </section>
      {isFull(store) ? <store.extras.LabelPanel store={store} caseId={caseId} trial={trial} /> : null}
    </div>
  );
}

/** What the cause of the case has said already is not said twice. */
function TrialError({ store, trial: { error } }: Pick<TrialProps, "store" | "trial">) {
  const { cause } = store.open.value?.case ?? {};
  if (error === null) return null;
  const isKnown = cause !== undefined && store.index.causes[cause - 1]?.title === error.message;
  return (
    <section class="banner errored" aria-label="Error">
      {isKnown ? (
        <span>The trial ended with this error</span>
      ) : (
        <span>
          <b>{error.message}</b>
          {error.fix === null ? null : <span class="meta">{error.fix}</span>}
        </span>
      )}
      <code>{error.code}</code>
    </section>
  );
}

function Facts({ trial }: { trial: ReportTrial }) {
  const {
    latencyMs,
    durationMs,
    costUsd,
    usage,
    attempts,
    servedBy,
    askedBy,
    finishReason,
    stoppedBy,
    isConfirmation,
  } = trial;
  const facts = [
    durationMs > latencyMs * 1.05 + 50
      ? `${renderDuration(durationMs)}, ${renderDuration(latencyMs)} of it for the model`
      : renderDuration(durationMs),
    usd(costUsd),
    `${renderCount(usage.inputTokens)} tokens in, ${renderCount(usage.outputTokens)} out`,
    plural(attempts, "request"),
    servedBy === null ? null : `answered by ${servedBy}`,
    askedBy === undefined ? null : `asked by ${askedBy}`,
    finishReason === null || finishReason === "stop" ? null : `finish reason ${finishReason}`,
    stoppedBy === undefined ? null : `simulated user: ${stoppedBy.replace("_", " ")}`,
    isConfirmation === true ? "extra trial, which does not count for the case" : null,
  ];
  return <p class="meta facts">{facts.map((fact) => (fact === null ? null : <span key={fact}>{fact}</span>))}</p>;
}

function Assertions({ store, caseId, trial }: TrialProps) {
  const { assertions } = trial;
  if (assertions.length === 0) return null;
  const isHidden = isHiddenFrom(store, caseId, trial);
  const failed = assertions.filter((one) => !one.pass && one.isSkipped !== true);
  const others = assertions.filter((one) => !failed.includes(one));
  const judges = judgesOf(assertions);
  const isJudged = (one: ReportAssertion): boolean => judgesOf([one]).length > 0;
  return (
    <section aria-label="Assertions">
      <ul class="assertions">
        {failed.map((one, at) => (isHidden && isJudged(one) ? null : <Assertion key={at} of={one} />))}
      </ul>
      {others.length === 0 ? null : (
        <details class="passed-ones">
          <summary>
            {isHidden && judges.length > 0 ? "Other assertions" : `${plural(others.length, "assertion")} did not fail`}
          </summary>
          <ul class="assertions">
            {others.map((one, at) => (isHidden && isJudged(one) ? null : <Assertion key={at} of={one} />))}
          </ul>
        </details>
      )}
      {judges.map((judge) => (
        <Judge
          key={judge.name}
          judge={judge}
          isHidden={isHidden}
          onShow={() => store.extras?.labels.reveal(caseId, trial.trial)}
        />
      ))}
    </section>
  );
}

/** Whether what judges said about a trial is still hidden, so that it cannot sway the person who labels it. */
function isHiddenFrom({ settings, extras }: ReportStore, caseId: string, { trial }: ReportTrial): boolean {
  return extras !== null && settings.isBlind.value && !extras.labels.isRevealed(caseId, trial);
}

function Assertion({ of }: { of: ReportAssertion }) {
  const { type, id, userTurn, message, pass, isSkipped, parts = [] } = of;
  const status = isSkipped === true ? "skipped" : pass ? "passed" : "failed";
  return (
    <li class={status}>
      <Sign status={status} />
      <div>
        <p class="name">
          <code>{type}</code> {id} {userTurn === undefined ? "" : <span class="meta">user turn {userTurn}</span>}
        </p>
        <p class="message">{message}</p>
        {parts.length === 0 ? null : (
          <ul class="assertions">
            {parts.map((part, at) => (
              <Assertion key={at} of={part} />
            ))}
          </ul>
        )}
      </div>
    </li>
  );
}

function Judge({ judge, isHidden, onShow }: { judge: NamedJudge; isHidden: boolean; onShow(): void }) {
  const { name, criteria, threshold, votes, pass } = judge;
  return (
    <section class={`opinion ${isHidden ? "" : pass ? "passed" : "failed"}`} aria-label={`Judge ${name}`}>
      <h3>
        {isHidden ? null : <Sign status={pass ? "passed" : "failed"} />} Judge <code>{name}</code>
        {isHidden ? null : (
          <span class="meta">
            {score(judge.score)}, needs {score(threshold)}
          </span>
        )}
      </h3>
      {criteria === null ? null : <p class="rubric">{criteria}</p>}
      {isHidden ? (
        <p class="meta">
          What the judge said is hidden until you label this trial.{" "}
          <button type="button" onClick={onShow}>
            Show it
          </button>
        </p>
      ) : (
        <ol class="votes">
          {votes.map(({ model, score: given, pass: isEnough, reasoning, items = [] }, at) => (
            <li key={at}>
              <Sign status={isEnough ? "passed" : "failed"} />
              <b>{score(given)}</b>
              <div>
                <p class="message">{reasoning}</p>
                {items.map(({ item, score: own }) => (
                  <p key={item} class="meta">
                    {score(own)} {item}
                  </p>
                ))}
                <p class="meta">{model}</p>
              </div>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

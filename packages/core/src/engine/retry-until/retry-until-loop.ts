import type { AssertionResult } from "../../assertions/assertion-result.js";
import type { AssertionContext } from "../../assertions/define-assertion.js";
import { kindlmError } from "../../errors/kindlm-error.js";
import { trialStopped } from "../../errors/trial-stopped.js";
import type { RenderedCase, RenderedRetryUntil } from "../../plan/run-plan.js";
import { failure, success, type Result } from "../../result.js";
import { markOf } from "../../targets/roll-back.js";
import type { TargetSession } from "../../targets/target.js";
import type { UserMessage } from "../../transcript/message.js";
import { renderTemplate } from "../../values/template.js";
import { buildSlice } from "../build-trial.js";
import type { DecidedBefore } from "../evaluate-conversation.js";
import { maskSensitive } from "../mask-sensitive.js";
import type { RunEventBody, TrialRef } from "../run-event.js";
import type { SendMessage } from "../send-message.js";
import { decideApproval, type Approval } from "./decide-approval.js";
import type { RejectedTry, TrialTries } from "./trial-tries.js";

interface RetryUntilSettings {
  session: TargetSession;
  rendered: RenderedCase;
  retries: readonly (RenderedRetryUntil | null)[];
  ref: TrialRef;
  fault: string | null;
  context: AssertionContext;
  emit(event: RunEventBody): void;
}

type Rejection = Exclude<Approval, { verdict: "approved" }>;

/** Has the user turns of one trial answered again until they are approved. */
export class RetryUntilLoop {
  readonly #settings: RetryUntilSettings;
  readonly #results: AssertionResult[] = [];
  readonly #rejected: RejectedTry[] = [];
  #hasGivenUp = false;
  #count = 0;
  #approved = 0;
  #costUsd = 0;

  constructor(settings: RetryUntilSettings) {
    this.#settings = settings;
  }

  /** A user turn that had to be approved was not: there is no point in going on. */
  get hasGivenUp(): boolean {
    return this.#hasGivenUp;
  }

  get tries(): TrialTries {
    const awaited = this.#settings.retries.filter((retry) => retry !== null).length;
    const approved = this.#approved === awaited;
    const rejected = this.#rejected;
    return { count: this.#count, firstTry: approved && rejected.length === 0, approved, rejected };
  }

  /** A result for each user turn that was decided, and the US dollars that deciding cost. */
  get outcome(): DecidedBefore {
    return { results: this.#results, costUsd: this.#costUsd };
  }

  /** `index`: which user turn, from 0. The error is what stopped the trial. */
  async answer(index: number, message: UserMessage | null, send: SendMessage): Promise<Result<void>> {
    const { session, retries, rendered, context } = this.#settings;
    const retry = retries[index] ?? null;
    if (retry === null) return send(message);
    const userTurn = index + 1;
    const since = { startedAt: context.clock.monotonic(), costUsd: this.#costUsd };
    let next = message;
    // Each try answers what was wrong with the one before.
    for (let number = 1; ; number += 1) {
      const checkpoint = session.checkpoint();
      const tried = await this.#tryOnce(retry, next, send);
      if (!tried.success) return tried;
      if (tried.data.verdict === "approved") {
        this.#approved += 1;
        return this.#conclude(userTurn, since, { pass: true, message: approvedText(number, retry.maxTries) });
      }
      const isLast = tried.data.verdict !== "rejected" || number >= retry.maxTries;
      const { record, told } = this.#reject(retry, tried.data, { userTurn, try: number }, !isLast);
      if (isLast) {
        this.#rejected.push({ ...record, messages: [] });
        this.#hasGivenUp = retry.isStrict;
        return this.#conclude(userTurn, since, givenUp(retry, number, told));
      }
      const undone = await checkpoint.rollBack(number);
      if (!undone.success) return undone;
      this.#rejected.push({ ...record, messages: undone.data });
      if (context.signal.aborted) return failure(trialStopped());
      const feedback = renderFeedback(retry, record.reason, number, rendered.answerScope);
      if (!feedback.success) return feedback;
      next = withFeedback(message, feedback.data);
    }
  }

  /** One answer to the user turn, and whether it is approved. */
  async #tryOnce(retry: RenderedRetryUntil, message: UserMessage | null, send: SendMessage) {
    const { session, fault, context } = this.#settings;
    const since = markOf(session.transcript);
    this.#count += 1;
    const answered = await send(message);
    if (!answered.success) return answered;
    const slice = buildSlice(session.transcript, since, fault);
    const decided = await decideApproval(retry, slice, context);
    if (!decided.success) return decided;
    this.#costUsd += decided.data.costUsd;
    return success({ ...decided.data, output: slice.output ?? "" });
  }

  /** Reports a rejected try. Returns its record, and its reason without sensitive text. */
  #reject(
    { maxTries }: RenderedRetryUntil,
    { reason, failing: assertions, output }: Rejection & { output: string },
    at: Pick<RejectedTry, "userTurn" | "try">,
    again: boolean,
  ): { record: Omit<RejectedTry, "messages">; told: string } {
    const { ref, emit } = this.#settings;
    const told = maskSensitive({ reason, assertions }).reason;
    emit({ channel: "progress", type: "try:rejected", ...ref, ...at, maxTries, reason: told, again });
    return { record: { ...at, reason, output, assertions }, told };
  }

  #conclude(userTurn: number, since: Started, verdict: Verdict): Result<void> {
    const { context, rendered } = this.#settings;
    const durationMs = context.clock.monotonic() - since.startedAt;
    const score = verdict.pass ? 1 : 0;
    const result: AssertionResult = { type: "retry_until", weight: 1, score, ...verdict, durationMs };
    if (rendered.userTurns.length > 1) result.userTurn = userTurn;
    if (this.#costUsd > since.costUsd) result.costUsd = this.#costUsd - since.costUsd;
    this.#results.push(result);
    return success(undefined);
  }
}

/** Null where no answer has to be approved, or there is no session. */
export function openRetryUntil(
  opened: Result<TargetSession>,
  rendered: RenderedCase,
  settings: Omit<RetryUntilSettings, "session" | "rendered" | "retries">,
): RetryUntilLoop | null {
  const { retries } = rendered;
  if (retries === undefined || !opened.success) return null;
  return new RetryUntilLoop({ ...settings, session: opened.data, rendered, retries });
}

type Verdict = Pick<AssertionResult, "pass" | "message" | "skipped">;

interface Started {
  startedAt: number;
  costUsd: number;
}

function approvedText(tryNumber: number, maxTries: number): string {
  return tryNumber === 1 ? "Approved with the first answer" : `Approved at try ${tryNumber} of ${maxTries}`;
}

/** Where the last answer may stand all the same, the test's own assertions decide. */
function givenUp({ maxTries, isStrict }: RenderedRetryUntil, tries: number, reason: string): Verdict {
  const count = `${tries} ${tries === 1 ? "try" : "tries"}`;
  const stopped = tries < maxTries ? ", and stop_when made no further one" : "";
  const message = `The answer was not approved in ${count}${stopped}: ${reason}`;
  return isStrict ? { pass: false, message } : { pass: true, message: `${message} (strict: false)`, skipped: true };
}

function withFeedback(message: UserMessage | null, feedback: string): UserMessage {
  if (message === null) return { role: "user", content: feedback };
  const { content } = message;
  if (typeof content === "string") return { role: "user", content: `${content}\n\n${feedback}` };
  return { role: "user", content: [...content, { type: "text", text: feedback }] };
}

const feedbackStart = "Your last answer to this was not accepted: {{reason}}";
const feedbackEnd = "Please answer again.";

/** What is added to the user's message after the answer of try `tryNumber` was rejected. */
function renderFeedback(
  { feedback, description }: Pick<RenderedRetryUntil, "feedback" | "description">,
  reason: string,
  tryNumber: number,
  scope: Readonly<Record<string, unknown>>,
): Result<string> {
  const plain = [
    feedbackStart,
    ...(description === null ? [] : ["What is asked for: {{description}}"]),
    feedbackEnd,
  ].join("\n");
  const values = { ...scope, reason, description: description ?? "", try: tryNumber };
  const filled = renderTemplate<unknown>(feedback ?? plain, { values });
  if (filled.success) return success(typeof filled.data === "string" ? filled.data : JSON.stringify(filled.data));
  const name = filled.error[0]?.name ?? "";
  return failure(kindlmError("CONFIG_VALIDATION_ERROR", `Unknown placeholder {{${name}}} in the feedback`));
}

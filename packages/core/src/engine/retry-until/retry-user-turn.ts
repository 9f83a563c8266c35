import type { AssertionResult } from "../../assertions/assertion-result.js";
import type { AssertionContext } from "../../assertions/define-assertion.js";
import { kindlmError } from "../../errors/kindlm-error.js";
import type { RenderedCase, RenderedRetry } from "../../plan/run-plan.js";
import { failure, success, type Result } from "../../result.js";
import { markOf } from "../../targets/roll-back.js";
import type { TargetSession } from "../../targets/target.js";
import type { UserMessage } from "../../transcript/message.js";
import { buildSlice } from "../build-trial.js";
import { decideApproval } from "../decide-approval.js";
import { maskSensitive } from "../mask-sensitive.js";
import { renderFeedback } from "./render-feedback.js";
import type { RunEventBody, TrialRef } from "../run-event.js";
import type { RejectedTry, TrialTries } from "./trial-tries.js";

interface RetryingSettings {
  session: TargetSession;
  rendered: RenderedCase;
  retries: readonly (RenderedRetry | null)[];
  ref: TrialRef;
  fault: string | null;
  context: AssertionContext;
  emit(event: RunEventBody): void;
}

/** Sends a message to the agent and waits for its whole answer. */
export type SendMessage = (message: UserMessage | null) => Promise<Result<void>>;

/** Has the user turns of one trial answered again until they are approved. */
export interface Retrying {
  /** `index`: which user turn, from 0. The error is what stopped the trial. */
  answer(index: number, message: UserMessage | null, send: SendMessage): Promise<Result<void>>;
  /** A user turn that had to be approved was not: there is no point in going on. */
  readonly hasGivenUp: boolean;
  readonly tries: TrialTries;
  /** A result for each user turn that was decided, and the US dollars that deciding cost. */
  readonly outcome: { assertions: readonly AssertionResult[]; costUsd: number };
}

/** Null where no answer has to be approved, or there is no session. */
export function openRetrying(
  opened: Result<TargetSession>,
  rendered: RenderedCase,
  settings: Omit<RetryingSettings, "session" | "rendered" | "retries">,
): Retrying | null {
  const { retries } = rendered;
  if (retries === undefined || !opened.success) return null;
  return createRetrying({ ...settings, session: opened.data, rendered, retries });
}

export function outcomeOf(retrying: Retrying | null): Retrying["outcome"] {
  return retrying === null ? { assertions: [], costUsd: 0 } : retrying.outcome;
}

function createRetrying(settings: RetryingSettings): Retrying {
  const { session, rendered, retries, ref, fault, context, emit } = settings;
  const results: AssertionResult[] = [];
  const rejected: RejectedTry[] = [];
  const awaited = retries.filter((retry) => retry !== null).length;
  let hasGivenUp = false;
  let count = 0;
  let approved = 0;
  let costUsd = 0;

  const conclude = (userTurn: number, since: Started, verdict: Verdict): Result<void> => {
    const durationMs = context.clock.monotonic() - since.startedAt;
    const result: AssertionResult = {
      type: "retry_until",
      weight: 1,
      score: verdict.pass ? 1 : 0,
      ...verdict,
      durationMs,
    };
    if (rendered.userTurns.length > 1) result.userTurn = userTurn;
    if (costUsd > since.costUsd) result.costUsd = costUsd - since.costUsd;
    results.push(result);
    return success(undefined);
  };

  /** One answer to the user turn, and what is thought of it. */
  const tryOnce = async (retry: RenderedRetry, message: UserMessage | null, send: SendMessage) => {
    const since = markOf(session.transcript);
    count += 1;
    const answered = await send(message);
    if (!answered.success) return answered;
    const slice = buildSlice(session.transcript, since, fault);
    const decided = await decideApproval(retry, slice, context);
    if (!decided.success) return decided;
    costUsd += decided.data.costUsd;
    return success({ ...decided.data, output: slice.output ?? "" });
  };

  const answer = async (index: number, message: UserMessage | null, send: SendMessage): Promise<Result<void>> => {
    const retry = retries[index] ?? null;
    if (retry === null) return send(message);
    const { maxTries } = retry;
    const userTurn = index + 1;
    const since = { startedAt: context.clock.monotonic(), costUsd };
    let next = message;
    // Each try answers what was wrong with the one before.
    for (let number = 1; ; number += 1) {
      const checkpoint = session.checkpoint();
      const tried = await tryOnce(retry, next, send);
      if (!tried.success) return tried;
      const { data } = tried;
      if (data.verdict === "approved") {
        approved += 1;
        return conclude(userTurn, since, { pass: true, message: approvedText(number, maxTries) });
      }
      const { reason, failing: assertions, output } = data;
      const again = data.verdict === "rejected" && number < maxTries;
      const told = maskSensitive({ reason, assertions }).reason;
      const at = { userTurn, try: number };
      emit({ channel: "progress", type: "try:rejected", ...ref, ...at, maxTries, reason: told, again });
      const record = { ...at, reason, output, assertions };
      if (!again) {
        rejected.push({ ...record, messages: [] });
        hasGivenUp = retry.isStrict;
        return conclude(userTurn, since, givenUp(retry, number, told));
      }
      const undone = await checkpoint.rollBack(number);
      if (!undone.success) return undone;
      rejected.push({ ...record, messages: undone.data });
      if (context.signal.aborted) return failure(kindlmError("ENGINE_ABORTED", "The trial was stopped"));
      const feedback = renderFeedback(retry, reason, number, rendered.answerScope);
      if (!feedback.success) return feedback;
      next = withFeedback(message, feedback.data);
    }
  };

  return {
    answer,
    get hasGivenUp() {
      return hasGivenUp;
    },
    get tries() {
      const isApproved = approved === awaited;
      return { count, firstTry: isApproved && rejected.length === 0, approved: isApproved, rejected };
    },
    get outcome() {
      return { assertions: results, costUsd };
    },
  };
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
function givenUp({ maxTries, isStrict }: RenderedRetry, tries: number, reason: string): Verdict {
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

import type { AssertionResult } from "../../assertions/assertion-result.js";
import type { TestResult, TrialResult } from "../../engine/run-result.js";
import type { SimulatedUserTotals } from "../../summary/run-totals.js";
import type { TrialTries } from "../../engine/retry-until/trial-tries.js";
import { redactValue } from "../../redaction/redact-value.js";
import type { SimulatedUserRecord } from "../../transcript/simulated-user.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import type { TurnRecord } from "../../transcript/turn.js";
import type { JsonObject } from "../../values/json.js";
import { maskFor } from "../case-mask.js";
import type { RenderOptions } from "../define-reporter.js";
import { reportedError } from "./reported-error.js";
import { reportedFinding, reportedJudging } from "./reported-judging.js";
import { reportedUsage } from "./reported-usage.js";
import { roundedInterval, roundedMs, roundedRate, roundedUsd } from "./rounded.js";

type Redact = (text: string) => string;

/** The verdict of a case, without its trials; `assertions` are those of the decisive one. */
export function reportedCase(
  test: TestResult,
  assertions: readonly AssertionResult[],
  options: Pick<RenderOptions, "redact" | "verbose">,
): JsonObject {
  const { redact, verbose } = options;
  const identity: JsonObject = {
    id: redact(test.id),
    name: redact(test.name),
    model: redact(test.model),
    row: test.row === null ? null : redact(test.row),
    prompt: test.prompt === null ? null : redact(test.prompt),
    fault: test.fault === null ? null : redact(test.fault),
    tags: test.tags.map(redact),
    critical: test.critical,
    allowFailure: test.allowFailure === null ? null : redact(test.allowFailure),
    position: redactValue(test.position, redact),
    status: test.status,
  };
  if (test.status === "skipped") return { ...identity, reason: redact(test.reason), error: null };
  const mask = maskFor(assertions, redact);
  // Copies by spreading outlive many garbage collections, and with them the trials of very many cases.
  const reported: JsonObject = Object.assign(identity, {
    mixed: test.mixed,
    passes: test.passes,
    required: test.required,
    runs: test.runs,
    counted: test.counted,
    interval: roundedInterval(test.interval),
    error: test.error === null ? null : reportedError(test.error, mask, verbose),
    latencyMs: roundedMs(test.latencyMs),
    costUsd: roundedUsd(test.costUsd),
    decisiveTrial: test.decisiveTrial,
    fallback: test.fallback === null ? null : redact(test.fallback),
    assertions: assertions.map((assertion) => reportedAssertion(assertion, mask, verbose)),
  });
  if (test.firstTryPasses !== undefined) reported["firstTryPasses"] = test.firstTryPasses;
  if (test.endedEarly !== undefined) reported["endedEarly"] = test.endedEarly;
  if (test.trialsRun !== undefined) reported["trialsRun"] = test.trialsRun;
  if (test.fresh !== undefined) reported["fresh"] = { passes: test.fresh.passes, trials: test.fresh.trials };
  if (test.nudges !== undefined) reported["nudges"] = { ...test.nudges };
  if (test.toolFallbacks !== undefined) reported["toolFallbacks"] = test.toolFallbacks;
  return reported;
}

export function reportedTrial(
  trial: TrialResult,
  { redact, verbose }: Pick<RenderOptions, "redact" | "verbose">,
): JsonObject {
  const mask = maskFor(trial.assertions, redact);
  const reported: JsonObject = {
    trial: trial.trial,
    status: trial.status,
    error: trial.error === null ? null : reportedError(trial.error, mask, verbose),
    output: mask(trial.output),
    latencyMs: roundedMs(trial.latencyMs),
    durationMs: roundedMs(trial.durationMs),
    costUsd: roundedUsd(trial.costUsd),
    usage: reportedUsage(trial.usage),
    attempts: trial.attempts,
    servedBy: trial.servedBy === null ? null : mask(trial.servedBy),
    fallback: trial.fallback === null ? null : mask(trial.fallback),
    finishReason: trial.finishReason,
    turns: trial.turns.map((turn) => reportedTurn(turn, mask)),
    toolCalls: trial.toolCalls.map((call) => reportedToolCall(call, mask)),
    assertions: trial.assertions.map((assertion) => reportedAssertion(assertion, mask, verbose)),
  };
  if (trial.faults !== undefined) reported["faults"] = redactValue(trial.faults, mask);
  if (trial.fresh === true) reported["fresh"] = true;
  if (trial.tries !== undefined) reported["tries"] = reportedTries(trial.tries, mask);
  if (trial.simulatedUser !== undefined) reported["simulatedUser"] = reportedUser(trial.simulatedUser, mask);
  if (trial.judging !== undefined) reported["judging"] = reportedJudging(trial.judging);
  if (trial.nudges !== undefined) reported["nudges"] = redactValue(trial.nudges, mask);
  return reported;
}

function reportedTries({ count, firstTry, approved, rejected }: TrialTries, mask: Redact): JsonObject {
  return {
    count,
    firstTry,
    approved,
    rejected: rejected.map((one) => ({
      userTurn: one.userTurn,
      try: one.try,
      reason: mask(one.reason),
      output: mask(one.output),
    })),
  };
}

function reportedUser(user: SimulatedUserRecord, mask: Redact): JsonObject {
  return {
    model: mask(user.model),
    stoppedBy: user.stoppedBy,
    ...reportedUserTotals(user),
    conversation: user.conversation.map(({ by, text }) => ({ by, text: mask(text) })),
  };
}

export function reportedUserTotals(totals: SimulatedUserTotals): JsonObject {
  return {
    turns: totals.turns,
    requests: totals.requests,
    costUsd: roundedUsd(totals.costUsd),
    unpricedRequests: totals.unpricedRequests,
    usage: reportedUsage(totals.usage),
  };
}

function reportedTurn(turn: TurnRecord, mask: Redact): JsonObject {
  return {
    turn: turn.turn,
    latencyMs: roundedMs(turn.latencyMs),
    timeToFirstTokenMs: turn.timeToFirstTokenMs === null ? null : roundedMs(turn.timeToFirstTokenMs),
    costUsd: roundedUsd(turn.costUsd),
    servedBy: turn.servedBy === null ? null : mask(turn.servedBy),
    fallback: turn.fallback === null ? null : mask(turn.fallback),
    ...(turn.rejectedTry === undefined ? {} : { rejectedTry: turn.rejectedTry }),
    ...(turn.replayed === true ? { replayed: true } : {}),
    attempts: turn.attempts.length,
    failedAttempts: turn.attempts.flatMap(({ attempt, provider, error, requestId, waitedMs }) =>
      error === null
        ? []
        : {
            attempt,
            provider: mask(provider),
            code: error.code,
            message: mask(error.message),
            requestId: requestId === null ? null : mask(requestId),
            waitedMs: waitedMs === null ? null : roundedMs(waitedMs),
          },
    ),
  };
}

function reportedToolCall(call: TrialToolCall, mask: Redact): JsonObject {
  const reported: JsonObject = {
    tool: mask(call.tool),
    args: redactValue(call.args, mask),
    result: redactValue(call.result, mask),
    error: redactValue(call.error, mask),
    ...(call.events === undefined ? {} : { events: redactValue(call.events, mask) }),
    durationMs: call.durationMs === undefined ? null : roundedMs(call.durationMs),
  };
  if (call.ranBy !== undefined) reported["ranBy"] = call.ranBy;
  if (call.stateChanges !== undefined) reported["stateChanges"] = redactValue(call.stateChanges, mask);
  if (call.rejectedTry !== undefined) reported["rejectedTry"] = call.rejectedTry;
  if (call.fault !== undefined) reported["fault"] = redactValue(call.fault, mask);
  if (call.fallback !== undefined) reported["fallback"] = redactValue(call.fallback, mask);
  if (call.resumed !== undefined) reported["resumed"] = call.resumed;
  if (call.hook !== undefined) reported["hook"] = redactValue(call.hook, mask);
  return reported;
}

export function reportedAssertion(assertion: AssertionResult, mask: Redact, verbose: boolean): JsonObject {
  const reported: JsonObject = {
    type: assertion.type,
    pass: assertion.pass,
    score: roundedRate(assertion.score),
    message: mask(assertion.message),
    durationMs: roundedMs(assertion.durationMs),
  };
  if (assertion.id !== undefined) reported["id"] = mask(assertion.id);
  if (assertion.weight !== 1) reported["weight"] = assertion.weight;
  if (assertion.userTurn !== undefined) reported["userTurn"] = assertion.userTurn;
  if (assertion.skipped === true) reported["skipped"] = true;
  if (assertion.awaitsBaseline === true) reported["awaitsBaseline"] = true;
  if (assertion.error !== undefined) reported["error"] = reportedError(assertion.error, mask, verbose);
  if (assertion.costUsd !== undefined) reported["costUsd"] = roundedUsd(assertion.costUsd);
  if (assertion.judgingCostUsd !== undefined) reported["judgingCostUsd"] = roundedUsd(assertion.judgingCostUsd);
  if (assertion.judge !== undefined) reported["judge"] = reportedFinding(assertion.judge, mask);
  if (assertion.expected !== undefined) reported["expected"] = redactValue(assertion.expected, mask);
  if (assertion.actual !== undefined) reported["actual"] = redactValue(assertion.actual, mask);
  if (assertion.parts !== undefined) {
    reported["parts"] = assertion.parts.map((part) => reportedAssertion(part, mask, verbose));
  }
  return reported;
}

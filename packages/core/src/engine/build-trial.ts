import type { TranscriptMark } from "../targets/roll-back.js";
import type { Transcript } from "../targets/target.js";
import { everyTurn, withDelegatedCalls } from "../transcript/delegated-calls.js";
import { wasSent } from "../transcript/attempt.js";
import { startsUserTurn, type Message } from "../transcript/message.js";
import type { ConversationEnd } from "../transcript/simulated-user.js";
import type { Trial } from "../transcript/trial.js";
import { countTurns, lastTurn, type TurnRecord } from "../transcript/turn.js";
import { addUsage, type Usage } from "../transcript/usage.js";
import { addCosts } from "../values/add-costs.js";

/** The sums of a transcript, sub-agents included. */
export interface TrialTotals {
  output: string;
  latencyMs: number;
  /** Null when the price of a request is unknown. */
  costUsd: number | null;
  unpricedRequests: number;
  usage: Usage;
  attempts: number;
  servedBy: string | null;
  fallback: string | null;
  finishReason: string | null;
}

export function totalsOf(transcript: Transcript): TrialTotals {
  const last = lastTurn(transcript.turns);
  const totals: TrialTotals = {
    output: finalAnswer(transcript.messages),
    latencyMs: 0,
    costUsd: 0,
    unpricedRequests: 0,
    usage: { inputTokens: 0, outputTokens: 0 },
    attempts: 0,
    servedBy: last?.servedBy ?? null,
    fallback: null,
    finishReason: last?.finishReason ?? null,
  };
  for (const turn of everyTurn(transcript)) addTurn(totals, turn);
  const { embeddings } = transcript.gateway ?? {};
  if (embeddings !== undefined) {
    totals.costUsd = addCosts(totals.costUsd, embeddings.costUsd);
    totals.unpricedRequests += embeddings.unpricedRequests;
  }
  return totals;
}

function addTurn(totals: TrialTotals, turn: TurnRecord): void {
  totals.latencyMs += turn.latencyMs;
  for (const attempt of turn.attempts) if (wasSent(attempt)) totals.attempts += 1;
  totals.fallback ??= turn.fallback;
  if (turn.usage !== null) totals.usage = addUsage(totals.usage, turn.usage);
  if (turn.costUsd === null) totals.unpricedRequests += 1;
  totals.costUsd = addCosts(totals.costUsd, turn.costUsd);
}

/** What was said and done since a place in the transcript. */
export function buildSlice(transcript: Transcript, since: TranscriptMark, fault: string | null): Trial {
  const slice: Transcript = {
    messages: transcript.messages.slice(since.messages),
    turns: transcript.turns.slice(since.turns),
    toolCalls: transcript.toolCalls.slice(since.toolCalls),
  };
  return buildTrial(slice, totalsOf(slice), null, fault);
}

/**
 * The trial as its assertions see it. `historyLength` is how many messages were there before it began; null for a slice,
 * which has no slices itself, or a trial could never be written as JSON.
 */
export function buildTrial(
  transcript: Transcript,
  totals: TrialTotals,
  historyLength: number | null,
  fault: string | null,
  simulator: { readonly stoppedBy: ConversationEnd | null } | null = null,
): Trial {
  const trial: Trial = {
    output: totals.output,
    toolCalls: withDelegatedCalls(transcript.toolCalls),
    messages: transcript.messages,
    turns: countTurns(transcript.turns),
    latencyMs: totals.latencyMs,
    costUsd: totals.costUsd,
    usage: totals.usage,
    fault,
  };
  // Created immediately, although few assertions read them: a getter would give each trial its own hidden class, which
  // costs more and holds on to the transcript until the next full garbage collection.
  if (historyLength !== null) trial.userTurns = sliceByUserTurn(transcript, historyLength, fault);
  if (totals.finishReason !== null) trial.finishReason = totals.finishReason;
  const served = modelsOf(transcript.turns);
  if (served.length > 0) trial.servedBy = served;
  const last = lastTurn(transcript.turns);
  if (last?.exitCode !== undefined) trial.exitCode = last.exitCode;
  if (last?.stdout !== undefined) trial.stdout = last.stdout;
  const stoppedBy = simulator?.stoppedBy ?? null;
  if (stoppedBy !== null) trial.stoppedBy = stoppedBy;
  return trial;
}

/** Each once. */
function modelsOf(turns: readonly TurnRecord[]): string[] {
  const models: string[] = [];
  for (const { servedBy } of turns) if (servedBy !== null && !models.includes(servedBy)) models.push(servedBy);
  return models;
}

function sliceByUserTurn(transcript: Transcript, historyLength: number, fault: string | null): readonly Trial[] {
  const starts: number[] = [];
  for (let index = historyLength; index < transcript.messages.length; index += 1) {
    const message = transcript.messages[index];
    if (message !== undefined && startsUserTurn(message)) starts.push(index);
  }
  return starts.map((start, position) => {
    const userTurn = position + 1;
    const slice: Transcript = {
      messages: transcript.messages.slice(start, starts[position + 1]),
      turns: transcript.turns.filter((turn) => turn.userTurn === userTurn),
      toolCalls: transcript.toolCalls.filter((call) => call.userTurn === userTurn),
    };
    return buildTrial(slice, totalsOf(slice), null, fault);
  });
}

function finalAnswer(messages: readonly Message[]): string {
  const last = messages.findLast((message) => message.role === "assistant");
  return last?.text ?? "";
}

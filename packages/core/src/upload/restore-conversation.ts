import { isList, isRecord } from "../values/json.js";

/** A request to a model as a JSON report has it, as it is stored; what the report leaves out is not known. */
export function restoreTurn(reported: unknown): unknown {
  if (!isRecord(reported)) return reported;
  const { failedAttempts, attempts: count, ...turn } = reported;
  const failed = (isList(failedAttempts) ? failedAttempts : []).map((one) => {
    const { code, message, ...attempt } = isRecord(one) ? one : {};
    return { ...attempt, startedAt: 0, latencyMs: 0, error: { code, message } };
  });
  const attempts: unknown[] = [...failed];
  if (typeof count === "number" && count > failed.length) {
    const sent = { attempt: failed.length + 1, provider: "", startedAt: 0, latencyMs: turn["latencyMs"] };
    attempts.push({ ...sent, error: null, requestId: null, waitedMs: null });
  }
  return { userTurn: 1, usage: null, finishReason: null, ...turn, attempts };
}

/** A call of a tool: what is null in a report is absent. A tool that returned null has no error. */
export function restoreCall(reported: unknown): unknown {
  if (!isRecord(reported)) return reported;
  const { error, result, durationMs, delegation, ...call } = reported;
  return {
    ...call,
    ...(error === null ? { result } : { error }),
    ...(durationMs === null ? {} : { durationMs }),
    ...(isRecord(delegation) ? { delegation: restoreDelegation(delegation) } : {}),
  };
}

function restoreDelegation(delegation: Readonly<Record<string, unknown>>): unknown {
  const { turns, toolCalls, messages } = delegation;
  const listed = isList(messages) ? messages : [];
  const calls = isList(toolCalls) ? toolCalls.map(restoreCall) : [];
  return { ...delegation, messages: listed, ...placeCalls(listed, isList(turns) ? turns.map(restoreTurn) : [], calls) };
}

/**
 * Gives requests the user turn that they belong to, and calls their request: a message of the agent is the answer to the
 * next request that was answered, and has the next calls of the tools that it names. The first answers are history if there
 * are more of them than requests.
 */
export function placeCalls(
  messages: readonly unknown[],
  turns: readonly unknown[],
  calls: readonly unknown[],
): { turns: readonly unknown[]; toolCalls: readonly unknown[] } {
  const open = turns.flatMap((turn) => (isRecord(turn) ? [turn] : []));
  const waiting = calls.flatMap((call) => (isRecord(call) ? [call] : []));
  const [placedTurns, placedCalls] = [new Map<unknown, unknown>(), new Map<unknown, unknown>()];
  let history = messages.filter(isOfAgent).length - open.filter(isAnswered).length;
  let userTurn = 0;
  for (const message of messages) {
    if (!isRecord(message)) continue;
    if (message["role"] === "user" && message["isNudge"] !== true) userTurn += 1;
    if (!isOfAgent(message)) continue;
    if (history > 0) {
      history -= 1;
      if (history === 0) userTurn = 0;
      continue;
    }
    const at = open.findIndex(isAnswered);
    for (const turn of open.splice(0, at + 1)) {
      placedTurns.set(turn, { ...turn, userTurn });
      if (!isAnswered(turn)) continue;
      for (const call of claim(message, waiting)) placedCalls.set(call, { ...call, turn: turn["turn"], userTurn });
    }
  }
  const last = Math.max(1, userTurn);
  for (const turn of open) placedTurns.set(turn, { ...turn, userTurn: last });
  return {
    turns: turns.map((turn) => placedTurns.get(turn) ?? turn),
    toolCalls: calls.map((call) => placedCalls.get(call) ?? call),
  };
}

const isOfAgent = (message: unknown): boolean => isRecord(message) && message["role"] === "assistant";

function isAnswered(turn: Readonly<Record<string, unknown>>): boolean {
  const { attempts, rejectedTry } = turn;
  const last: unknown = isList(attempts) ? attempts.at(-1) : undefined;
  return rejectedTry === undefined && isRecord(last) && last["error"] === null;
}

/** Takes the calls of a message from those that wait. */
function claim(
  { toolCalls }: Readonly<Record<string, unknown>>,
  waiting: Record<string, unknown>[],
): readonly Record<string, unknown>[] {
  return (isList(toolCalls) ? toolCalls : []).flatMap((asked) => {
    const at = waiting.findIndex(
      (call) => isRecord(asked) && call["tool"] === asked["tool"] && call["rejectedTry"] === undefined,
    );
    return at === -1 ? [] : waiting.splice(at, 1);
  });
}

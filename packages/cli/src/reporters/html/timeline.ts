import type { TrialResult, TrialToolCall, TurnRecord } from "@kindlm/core";
import type { ReportSpan } from "@kindlm/viewer/report-detail";
import { TrialClock } from "../../transcript/trial-clock.js";

/** Where the time of a trial went, in order: messages of a simulated user, requests with their waits, calls, judges. */
export function timelineOf(trial: TrialResult): readonly ReportSpan[] {
  return new TimelineBuilder(trial).build();
}

class TimelineBuilder {
  readonly #trial: TrialResult;
  readonly #clock: TrialClock;
  readonly #spans: ReportSpan[] = [];

  constructor(trial: TrialResult) {
    this.#trial = trial;
    this.#clock = new TrialClock(trial);
  }

  build(): readonly ReportSpan[] {
    const { turns, toolCalls, simulatedUser, judging } = this.#trial;
    const written = [...(simulatedUser?.calls ?? [])];
    // The first message may be a user's own.
    const firstSimulated = simulatedUser?.conversation.some(({ by }) => by === "user") === true ? 2 : 1;
    const isOfTurn = new Set(turns.map(({ turn }) => turn));
    let before = 0;
    for (const turn of turns) {
      const { userTurn } = turn;
      if (userTurn !== before) {
        before = userTurn;
        const asked = userTurn >= firstSimulated ? written.shift() : undefined;
        if (asked !== undefined) this.#request(asked, "user", "simulated user");
      }
      this.#request(turn, "model", turn.servedBy ?? null);
      for (const call of toolCalls) if (call.turn === turn.turn) this.#call(call);
    }
    for (const call of toolCalls) if (call.turn === undefined || !isOfTurn.has(call.turn)) this.#call(call);
    for (const asked of written) this.#request(asked, "user", "simulated user");
    for (const asked of judging?.calls ?? []) this.#request(asked, "judge", asked.model);
    return this.#spans;
  }

  #request({ attempts, latencyMs }: TurnRecord, kind: "model" | "user" | "judge", name: string | null): void {
    if (attempts.length === 0) this.#add({ kind, name: name ?? kind }, {}, latencyMs);
    for (const attempt of attempts) {
      const { error, provider, startedAt, queuedMs = 0, isRateLimited, waitedMs } = attempt;
      if (queuedMs > 0) {
        const what = isRateLimited === true ? "rate limit of" : "queue for";
        this.#add({ kind: "wait", name: `${what} ${provider}` }, { startedAt: startedAt - queuedMs }, queuedMs);
      }
      this.#add(
        { kind, name: name ?? provider, ...(error === null ? {} : { isTrouble: true }) },
        attempt,
        attempt.latencyMs,
      );
      if (waitedMs !== null) this.#add({ kind: "wait", name: `retry of ${provider}` }, {}, waitedMs);
    }
  }

  #call(call: TrialToolCall): void {
    const isTrouble = call.error !== undefined || call.fault !== undefined;
    this.#add({ kind: "tool", name: call.tool, ...(isTrouble ? { isTrouble } : {}) }, call, call.durationMs ?? 0);
  }

  #add(span: Omit<ReportSpan, "startMs" | "durationMs">, timed: Parameters<TrialClock["take"]>[0], ms: number): void {
    this.#spans.push({ ...span, startMs: Math.round(this.#clock.take(timed, ms)), durationMs: Math.round(ms) });
  }
}

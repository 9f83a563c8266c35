import type { TrialResult, TrialToolCall, TurnRecord } from "@kindlm/core";
import type { ReportSpan } from "@kindlm/viewer/report-detail";

export interface Timeline {
  spans: readonly ReportSpan[];
  /** When each call of a tool began, since the trial did. */
  startOf: ReadonlyMap<TrialToolCall, number>;
}

/**
 * Where the time of a trial went. Durations are measured, and laid end to end in the order in which things happen: a
 * user's message, the request with its failed attempts and waits, the calls that the reply asked for side by side, and
 * in the end the judges.
 */
export function timelineOf(trial: TrialResult): Timeline {
  return new TimelineBuilder(trial).build();
}

class TimelineBuilder {
  readonly #trial: TrialResult;
  readonly #spans: ReportSpan[] = [];
  readonly #startOf = new Map<TrialToolCall, number>();
  #nowMs = 0;

  constructor(trial: TrialResult) {
    this.#trial = trial;
  }

  build(): Timeline {
    const { turns, toolCalls, simulatedUser, judging } = this.#trial;
    const written = [...(simulatedUser?.calls ?? [])];
    // The first message may be a user's own.
    const firstSimulated = simulatedUser?.conversation.some(({ by }) => by === "user") === true ? 2 : 1;
    let userTurn = 0;
    for (const turn of turns) {
      if ((turn.userTurn ?? 1) !== userTurn) {
        userTurn = turn.userTurn ?? 1;
        const asked = userTurn >= firstSimulated ? written.shift() : undefined;
        if (asked !== undefined) this.#request(asked, "user", "simulated user");
      }
      this.#request(turn, "model", turn.servedBy ?? null);
      this.#calls(toolCalls.filter((call) => call.turn === turn.turn));
    }
    this.#calls(toolCalls.filter((call) => !this.#startOf.has(call)));
    for (const asked of written) this.#request(asked, "user", "simulated user");
    for (const asked of judging?.calls ?? []) this.#request(asked, "judge", asked.model);
    return { spans: this.#spans, startOf: this.#startOf };
  }

  #request({ attempts, latencyMs }: TurnRecord, kind: "model" | "user" | "judge", name: string | null): void {
    if (attempts.length === 0) this.#add({ kind, name: name ?? kind }, latencyMs);
    for (const { error, provider, latencyMs: took, waitedMs } of attempts) {
      this.#add({ kind, name: name ?? provider, ...(error === null ? {} : { isTrouble: true }) }, took);
      if (waitedMs !== null) this.#add({ kind: "wait", name: `retry of ${provider}` }, waitedMs);
    }
  }

  /** The calls of one reply run at the same time. */
  #calls(calls: readonly TrialToolCall[]): void {
    const startMs = Math.round(this.#nowMs);
    for (const call of calls) {
      const durationMs = Math.round(call.durationMs ?? 0);
      this.#startOf.set(call, startMs);
      const isTrouble = call.error !== undefined || call.fault !== undefined;
      this.#spans.push({ kind: "tool", name: call.tool, startMs, durationMs, ...(isTrouble ? { isTrouble } : {}) });
    }
    this.#nowMs += Math.max(0, ...calls.map((call) => call.durationMs ?? 0));
  }

  #add(span: Omit<ReportSpan, "startMs" | "durationMs">, durationMs: number): void {
    this.#spans.push({ ...span, startMs: Math.round(this.#nowMs), durationMs: Math.round(durationMs) });
    this.#nowMs += durationMs;
  }
}

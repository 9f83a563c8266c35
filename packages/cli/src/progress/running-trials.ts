import type { RunEvent, TrialRef } from "@kindlm/core";
import { withCounts } from "@kindlm/core/program";

/** A trial that is under way, and what it waits for. */
export interface RunningTrial {
  readonly caseId: string;
  readonly trial: number;
  readonly startedAt: number;
  /** Of the agent; 0 before the first. */
  turn: number;
  phase: "starting" | "agent" | "evaluation";
  /** The last of its calls to models that is under way; null if none is. */
  call: ModelCall | null;
  /** Calls that were sent and are not answered. */
  sent: number;
  /** Names of the tools that run, the oldest first. */
  readonly tools: string[];
}

interface ModelCall {
  role: "agent" | "sub_agent" | "simulated_user" | "judge" | "embedder";
  provider: string;
  model: string;
  /** Null while it waits for room or for an answer. */
  retry: { number: number; of: number; until: number; isLimited: boolean } | null;
  isQueued: boolean;
}

type CallEvent = Extract<RunEvent, { type: "queue:start" | "attempt:start" | "retry:start" }>;

/**
 * Follows the trials that are under way. A run has very many events and few trials at a time, so trials are found by
 * going through those of the same case.
 */
export class RunningTrials {
  /** By case, the one that started first first. */
  readonly #byCase = new Map<string, RunningTrial[]>();
  /** When calls to a model may go on, by provider and model. */
  readonly #pauses = new Map<string, number>();
  /** When an open circuit lets a call through, by provider and model; infinite if never. */
  readonly #circuits = new Map<string, number>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The one that has run longest first. */
  inOrder(): readonly RunningTrial[] {
    return [...this.#byCase.values()].flat().toSorted((a, b) => a.startedAt - b.startedAt);
  }

  /** Until when no call to a model starts; in the past if calls may start. */
  pausedUntil({ provider, model }: Pick<ModelCall, "provider" | "model">): number {
    return this.#pauses.get(`${provider}\n${model}`) ?? 0;
  }

  /** When the circuit of a model lets a call through; null if it is closed. */
  closesAt({ provider, model }: Pick<ModelCall, "provider" | "model">): number | null {
    return this.#circuits.get(`${provider}\n`) ?? this.#circuits.get(`${provider}\n${model}`) ?? null;
  }

  apply(event: RunEvent): void {
    switch (event.type) {
      case "trial:start":
        return this.#start(event);
      case "limiter":
        if (event.pausedMs > 0) this.#pauses.set(`${event.provider}\n${event.model}`, event.time + event.pausedMs);
        return;
      case "breaker": {
        const key = `${event.provider}\n${event.model ?? ""}`;
        if (event.state === "open") this.#circuits.set(key, event.time + (event.resetMs ?? Number.POSITIVE_INFINITY));
        else this.#circuits.delete(key);
        return;
      }
      default:
        if ("caseId" in event && event.caseId !== undefined) this.#applyToTrial(event);
    }
  }

  /** Removes a trial. Returns how long it ran; null if it never started. */
  end({ caseId, trial, time }: TrialRef & { time: number }): number | null {
    const trials = this.#byCase.get(caseId);
    const index = trials?.findIndex((one) => one.trial === trial) ?? -1;
    const [ended] = index === -1 ? [] : (trials?.splice(index, 1) ?? []);
    if (ended === undefined) return null;
    if (trials?.length === 0) this.#byCase.delete(caseId);
    this.#size -= 1;
    return time - ended.startedAt;
  }

  #start({ caseId, trial, time }: TrialRef & { time: number }): void {
    const started: RunningTrial = {
      caseId,
      trial,
      startedAt: time,
      turn: 0,
      phase: "starting",
      call: null,
      sent: 0,
      tools: [],
    };
    const trials = this.#byCase.get(caseId);
    if (trials === undefined) this.#byCase.set(caseId, [started]);
    else trials.push(started);
    this.#size += 1;
  }

  #applyToTrial(event: Extract<RunEvent, { caseId?: string }>): void {
    const running = this.#byCase.get(event.caseId ?? "")?.find(({ trial }) => trial === event.trial);
    if (running === undefined) return;
    switch (event.type) {
      case "turn:start":
        running.phase = "agent";
        running.turn = event.turn;
        running.call = null;
        break;
      case "queue:start":
        running.call = { ...calledBy(event), isQueued: true };
        break;
      case "attempt:start":
        running.call = calledBy(event);
        running.sent += 1;
        break;
      case "attempt:end":
        running.sent -= 1;
        if (running.sent === 0) running.call = null;
        break;
      case "retry:start": {
        const { retry: number, retries: of, time, waitMs, error } = event;
        const isLimited = error.code === "PROVIDER_RATE_LIMIT";
        running.call = { ...calledBy(event), retry: { number, of, until: time + waitMs, isLimited } };
        break;
      }
      case "queue:end":
      case "retry:end":
        running.call = null;
        break;
      case "tool:start":
        running.tools.push(event.tool);
        break;
      case "tool:end":
        if (running.tools.includes(event.tool)) running.tools.splice(running.tools.indexOf(event.tool), 1);
        break;
      case "evaluation":
        running.phase = "evaluation";
        break;
      default:
    }
  }
}

function calledBy({ role, provider, model }: CallEvent): ModelCall {
  return { role: role ?? "agent", provider, model, retry: null, isQueued: false };
}

const places: Readonly<Record<ModelCall["role"], string>> = {
  agent: "",
  sub_agent: "sub-agent ",
  simulated_user: "simulated user ",
  judge: "judge ",
  embedder: "embedding ",
};

/** What a trial waits for, such as `lookup_order` or `openai 429, again in 6 s`. */
export function renderWait({ call, tools, phase }: RunningTrial, trials: RunningTrials, now: number): string {
  if (call !== null && call.retry !== null) {
    const { number, of, until, isLimited } = call.retry;
    const reopensAt = trials.closesAt(call) ?? 0;
    const who = places[call.role];
    if (reopensAt === Number.POSITIVE_INFINITY) return `${who}circuit open`;
    if (reopensAt > now) return `${who}circuit open, probe in ${renderSeconds(reopensAt - now)}`;
    const left = renderSeconds(until - now);
    return isLimited ? `${who}${call.provider} 429, again in ${left}` : `${who}retry ${number} of ${of} in ${left}`;
  }
  const [tool, ...others] = tools;
  if (tool !== undefined) return others.length === 0 ? tool : withCounts`${tool} and ${others.length} more`;
  if (call === null) return { starting: "starting", agent: "agent", evaluation: "assertions" }[phase];
  if (!call.isQueued) return `${places[call.role]}${call.model}`;
  const pausedMs = trials.pausedUntil(call) - now;
  return `${places[call.role]}${pausedMs > 0 ? `rate limit, ${renderSeconds(pausedMs)}` : "queue"}`;
}

/** Whole seconds that are left, at least one. */
function renderSeconds(ms: number): string {
  return `${Math.max(1, Math.ceil(ms / 1_000))} s`;
}

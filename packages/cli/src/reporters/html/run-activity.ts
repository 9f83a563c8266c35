import type { AttemptRecord, TestResult, TrialResult } from "@kindlm/core";
import type { ReportActivity } from "@kindlm/viewer/report-data";

/** Places on the axis of time: about one for two pixels of a chart. */
const mostSteps = 200;
/** So long without any trial is a break between two sessions. */
const leastBreakMs = 60_000;

type Reason = ReportActivity["waits"][number]["reason"];
const reasons: readonly Reason[] = ["rate limit", "retry", "queue"];

/** Starts and ends, one after the other: numbers alone, since a large run has hundreds of thousands. */
type Stretches = number[];

interface ProviderTimes {
  inFlight: Stretches;
  waits: Readonly<Record<Reason, Stretches>>;
}

/** When the requests of a run were in flight and when they waited. */
export class RunActivity {
  readonly #providers = new Map<string, ProviderTimes>();
  /** When anything happened. */
  readonly #busy: Stretches = [];
  /** Rejections by an open circuit, by the model under test. */
  readonly #rejected = new Map<string, number[]>();
  readonly #providerOf = new Map<string, string>();

  see({ model }: TestResult, trial: TrialResult): void {
    const { startedAt, durationMs, turns, simulatedUser, judging, error } = trial;
    for (const { attempts } of turns) {
      for (const attempt of attempts) this.#attempt(attempt);
      const provider = attempts[0]?.provider;
      if (provider !== undefined) this.#providerOf.set(model, provider);
    }
    for (const { attempts } of [...(simulatedUser?.calls ?? []), ...(judging?.calls ?? [])])
      for (const attempt of attempts) this.#attempt(attempt);
    if (startedAt === undefined) return;
    this.#busy.push(startedAt, startedAt + durationMs);
    if (error?.code !== "PROVIDER_CIRCUIT_OPEN") return;
    const times = this.#rejected.get(model) ?? [];
    times.push(startedAt + durationMs);
    this.#rejected.set(model, times);
  }

  #attempt({ provider, startedAt, latencyMs, queuedMs = 0, isRateLimited, waitedMs, error, replayed }: AttemptRecord) {
    if (replayed === true) return;
    const times = this.#timesOf(provider);
    const endedAt = startedAt + latencyMs;
    times.inFlight.push(startedAt, endedAt);
    this.#busy.push(startedAt - queuedMs, endedAt + (waitedMs ?? 0));
    if (queuedMs > 0)
      times.waits[isRateLimited === true ? "rate limit" : "queue"].push(startedAt - queuedMs, startedAt);
    if (waitedMs === null) return;
    times.waits[error?.code === "PROVIDER_RATE_LIMIT" ? "rate limit" : "retry"].push(endedAt, endedAt + waitedMs);
  }

  #timesOf(provider: string): ProviderTimes {
    const known = this.#providers.get(provider);
    if (known !== undefined) return known;
    const created = { inFlight: [], waits: { "rate limit": [], retry: [], queue: [] } };
    this.#providers.set(provider, created);
    return created;
  }

  /** By the names of the providers in the config. */
  describe(): ReadonlyMap<string, ReportActivity> {
    const axis = axisOf(this.#busy);
    const rejectedOf = (provider: string): readonly number[] =>
      [...this.#rejected].flatMap(([model, times]) => (this.#providerOf.get(model) === provider ? times : []));
    const describeOne = (provider: string, { inFlight, waits }: ProviderTimes): ReportActivity => ({
      stepMs: axis.stepMs,
      inFlight: meansOf(inFlight, axis),
      waits: reasons.flatMap((reason) =>
        waits[reason].length === 0 ? [] : [{ reason, waiting: meansOf(waits[reason], axis) }],
      ),
      rejected: countsOf(rejectedOf(provider), axis),
      breaksMs: Math.round(axis.breaksMs),
    });
    return new Map([...this.#providers].map(([name, times]) => [name, describeOne(name, times)]));
  }
}

interface TimeAxis {
  steps: number;
  stepMs: number;
  breaksMs: number;
  /** The place of a moment, in steps. */
  at(time: number): number;
}

/** From the first moment to the last, without the breaks. */
function axisOf(busy: Stretches): TimeAxis {
  const stretches = Array.from({ length: busy.length / 2 }, (_, place) => place * 2).toSorted(
    (a, b) => (busy[a] ?? 0) - (busy[b] ?? 0),
  );
  const from = busy[stretches[0] ?? 0] ?? 0;
  const breaks: { at: number; ms: number }[] = [];
  let end = from;
  for (const place of stretches) {
    const [start = 0, until = 0] = [busy[place], busy[place + 1]];
    if (start - end >= leastBreakMs) breaks.push({ at: end, ms: start - end });
    end = Math.max(end, until);
  }
  const breaksMs = breaks.reduce((sum, { ms }) => sum + ms, 0);
  const wholeMs = end - from - breaksMs;
  const stepMs = Math.max(1, Math.ceil(wholeMs / mostSteps));
  const steps = Math.max(1, Math.ceil(wholeMs / stepMs));
  const before = (time: number): number => breaks.reduce((sum, { at, ms }) => (at < time ? sum + ms : sum), 0);
  return { steps, stepMs, breaksMs, at: (time) => (time - from - before(time)) / stepMs };
}

/** How many stretches overlap each step, on average. */
function meansOf(stretches: Stretches, { steps, at }: TimeAxis): readonly number[] {
  const means = Array.from({ length: steps }, () => 0);
  for (let place = 0; place < stretches.length; place += 2) {
    const [from, until] = [at(stretches[place] ?? 0), at(stretches[place + 1] ?? 0)];
    for (let step = Math.floor(from); step < until && step < steps; step += 1)
      means[step] = (means[step] ?? 0) + Math.min(until, step + 1) - Math.max(from, step);
  }
  return means.map((mean) => Math.round(mean * 100) / 100);
}

function countsOf(times: readonly number[], { steps, at }: TimeAxis): readonly number[] {
  if (times.length === 0) return [];
  const counts = Array.from({ length: steps }, () => 0);
  for (const time of times) {
    const step = Math.min(steps - 1, Math.floor(at(time)));
    counts[step] = (counts[step] ?? 0) + 1;
  }
  return counts;
}

/** An answer of the API. */
export interface Answered {
  /** Path of the route, without values. */
  route: string;
  method: string;
  status: number;
  durationMs: number;
}

const buckets = [5, 25, 100, 500, 2_500, 10_000];

interface Histogram {
  counts: number[];
  sumMs: number;
  count: number;
}

/** Counts of requests, as Prometheus reads them. */
export class Metrics {
  readonly #requests = new Map<string, number>();
  readonly #durations: Histogram = { counts: buckets.map(() => 0), sumMs: 0, count: 0 };

  count({ route, method, status, durationMs }: Answered): void {
    const key = `method="${method}",route="${route}",status="${status}"`;
    this.#requests.set(key, (this.#requests.get(key) ?? 0) + 1);
    this.#durations.sumMs += durationMs;
    this.#durations.count += 1;
    buckets.forEach((most, index) => {
      if (durationMs <= most) this.#durations.counts[index] = (this.#durations.counts[index] ?? 0) + 1;
    });
  }

  render(): string {
    const { counts, sumMs, count } = this.#durations;
    return [
      "# TYPE kindlm_requests_total counter",
      ...[...this.#requests].map(([labels, total]) => `kindlm_requests_total{${labels}} ${total}`),
      "# TYPE kindlm_request_duration_ms histogram",
      ...buckets.map((most, index) => `kindlm_request_duration_ms_bucket{le="${most}"} ${counts[index] ?? 0}`),
      `kindlm_request_duration_ms_bucket{le="+Inf"} ${count}`,
      `kindlm_request_duration_ms_sum ${sumMs}`,
      `kindlm_request_duration_ms_count ${count}`,
      "",
    ].join("\n");
  }
}

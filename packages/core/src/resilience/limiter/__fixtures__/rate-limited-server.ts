/** How a server counts: what it lets through at a time of its choosing. */
export type Counting = "fixed window" | "sliding window" | "token bucket";

export interface RateLimitedServer {
  /** Null when it lets a request through; else after how many milliseconds it would. */
  ask(now: number, lane: string): number | null;
}

/** A server that lets `perSecond` requests through, by one of the ways in use. Windows are of one second. */
export function createRateLimitedServer(
  counting: Counting,
  perSecond: number,
  { phaseMs = 0, capacity = perSecond } = {},
): RateLimitedServer {
  const windowMs = 1_000;
  if (counting === "token bucket") {
    let tokens = capacity;
    let filledAt = 0;
    return {
      ask(now) {
        tokens = Math.min(capacity, tokens + ((now - filledAt) * perSecond) / windowMs);
        filledAt = now;
        if (tokens < 0.999_999) return ((1 - tokens) * windowMs) / perSecond;
        tokens -= 1;
        return null;
      },
    };
  }
  if (counting === "sliding window") {
    const taken: number[] = [];
    return {
      ask(now) {
        while (taken[0] !== undefined && taken[0] <= now - windowMs) taken.shift();
        if (taken[0] !== undefined && taken.length >= perSecond) return taken[0] + windowMs - now;
        taken.push(now);
        return null;
      },
    };
  }
  let window = -1;
  let taken = 0;
  return {
    ask(now) {
      const current = Math.floor((now + phaseMs) / windowMs);
      if (current !== window) taken = 0;
      window = current;
      if (taken >= perSecond) return (current + 1) * windowMs - phaseMs - now;
      taken += 1;
      return null;
    },
  };
}

const minuteMs = 60_000;
/** Starts this close together share one entry, which leaves when the last of them does. It bounds the memory. */
const grainMs = 100;

/** What may begin within 60 s. Null for no limit. */
export interface MinuteLimits {
  requestsPerMinute: number | null;
  tokensPerMinute: number | null;
}

/** Calls that began within {@link grainMs}. */
export interface MinuteEntry {
  from: number;
  until: number;
  requests: number;
  tokens: number;
  gone: boolean;
}

/**
 * Counts what began in the last 60 s, so that no window of 60 s, wherever it starts, holds more than the limits.
 * Times in milliseconds of one clock, never going back. Holds at most 601 entries, whatever the limits: a call may
 * begin up to 100 ms later than a full list of starts would allow, never earlier.
 */
export interface MinuteWindow {
  /** When a call of so many tokens may begin: now or later, as far as known now. */
  readyAt(tokens: number, now: number): number;
  /** Counts a call that begins now. */
  began(tokens: number, now: number): MinuteEntry;
  /** Puts the real number in the place of the estimate. */
  correct(entry: MinuteEntry, estimated: number, used: number): void;
}

/** Null where nothing is limited. */
export function openMinuteWindow(limits: MinuteLimits | undefined): MinuteWindow | null {
  if (limits === undefined || (limits.requestsPerMinute === null && limits.tokensPerMinute === null)) return null;
  return createMinuteWindow(limits);
}

export function createMinuteWindow({ requestsPerMinute, tokensPerMinute }: MinuteLimits): MinuteWindow {
  const mostRequests = requestsPerMinute ?? Number.POSITIVE_INFINITY;
  const mostTokens = tokensPerMinute ?? Number.POSITIVE_INFINITY;
  const entries: MinuteEntry[] = [];
  let requests = 0;
  let tokens = 0;
  const forget = (now: number): void => {
    for (;;) {
      const [oldest] = entries;
      if (oldest === undefined || oldest.until + minuteMs > now) return;
      entries.shift();
      oldest.gone = true;
      requests -= oldest.requests;
      tokens -= oldest.tokens;
    }
  };
  return {
    readyAt(wanted, now) {
      forget(now);
      let [requestsLeft, tokensLeft] = [requests, tokens];
      let readyAt = now;
      for (const entry of entries) {
        // A call over the limit by itself goes when it is alone.
        const fits = requestsLeft < mostRequests && (tokensLeft + wanted <= mostTokens || tokensLeft <= 0);
        if (fits) return readyAt;
        requestsLeft -= entry.requests;
        tokensLeft -= entry.tokens;
        readyAt = entry.until + minuteMs;
      }
      return readyAt;
    },
    began(estimated, now) {
      requests += 1;
      tokens += estimated;
      const newest = entries.at(-1);
      if (newest !== undefined && now < newest.from + grainMs) {
        newest.until = now;
        newest.requests += 1;
        newest.tokens += estimated;
        return newest;
      }
      const entry = { from: now, until: now, requests: 1, tokens: estimated, gone: false };
      entries.push(entry);
      return entry;
    },
    correct(entry, estimated, used) {
      if (entry.gone) return;
      entry.tokens += used - estimated;
      tokens += used - estimated;
    },
  };
}

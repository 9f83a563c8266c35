/** Limits are set per second or longer, so what was let through is taken to be for one second at least. */
const shortestPeriodMs = 1_000;
/** Starts may lag this far behind their schedule and catch up, because timers are late. It is the longest burst. */
const lagMs = 20;
/** A pace that has held nothing back for this long no longer limits anything. */
const idleMs = 10_000;
/** The pace stays below what was measured, so it is not refused again immediately. */
const caution = 0.96;
/**
 * Each further refusal lowers the pace to between the first and one of the other parts of it, by how well it was measured.
 * A rejection soon after a pause is about the starts before that pause, which a sliding window still counts.
 */
const lowering = { least: 0.95, mostWhenTooSoon: 0.9, mostWhenUnsure: 0.8, most: 0.6 };
/** A measurement over less than this, or with more starts that were not held back, says little about the limit. */
const sure = { periodMs: 3_000, slackStarts: 2 };
/** The pace rises by 20% per second until it was refused, then by 5% in the first 12 s and ever faster, as the cube. */
const probing = { firstPerSecond: 0.2, by: 0.05, withinSeconds: 12 };

/**
 * Refusals that go on although the pace has come down to this part, over so many judgments, are not about the pace: a
 * server that is overloaded refuses at random. The pace is then given up for a while, and learned again.
 */
const pointless = { part: 0.25, judgements: 8, pauseMs: 10_000 };

/** So many successes in a row say that the pace is right. */
const provenEnough = 20;

/** The starts of a while, by which a refusal is judged. */
interface Epoch {
  readonly from: number;
  started: number;
  refused: number;
  /** Starts that the pace had not held back. */
  slack: number;
}

interface Judgement {
  /** What it judges by: the starts since the last pause, or the last one to two seconds as two epochs. */
  readonly epochs: readonly [Epoch, Epoch];
  /** When the server lets the next call through, as far as it said. */
  until: number;
  /** The pace before; null for none. */
  readonly paceBefore: number | null;
  /** Calls that began before this one belong to it. */
  readonly below: number;
}

/**
 * How fast one model's calls may begin, learned from refusals (429). Numbers are those of calls in the order of
 * beginning, times milliseconds.
 *
 * A limit on calls at a time cannot hold a fast server's rate: with answers after 1 ms, even one call at a time makes
 * 1,000 in a second, and with each refusal all that is in flight is lost too. A refusal shows the rate itself: so many
 * calls were let through since the starts began, and the next is let through when the hint ends. Their number divided
 * by that time is the pace, slightly lowered; starts are then spaced by it. It does not matter how the server counts
 * (fixed or sliding window, token bucket), since over that time each lets its rate through.
 *
 * The first measurement is rough, so the pace rises fast until it is rejected again. Each further refusal measures
 * again over the starts since the last pause, and lowers the pace within bounds. All refusals of calls that began
 * before the pause belong to the same judgment, and correct its count. Successes raise the pace again, slowly near
 * the limit, yet a limit that has gone up is found.
 */
export class LearnedPace {
  /** Starts per millisecond. */
  #pace: number | null = null;
  /** As the last judgment set it; probing starts here. */
  #judged = 0;
  #provenStarts = 0;
  #nextAt = 0;
  #heldBackAt = 0;
  #binds = false;
  #resuming = false;
  #current = newEpoch(0);
  #before = this.#current;
  /** The refusals since the pace last held for a while: how many judgments, and the pace at the first. */
  readonly #series = { judgements: 0, firstPace: 0 };
  #givenUpUntil = Number.NEGATIVE_INFINITY;
  #judgement: Judgement = { epochs: [this.#current, this.#current], until: 0, paceBefore: null, below: 0 };

  /** Starts per second; null while nothing is known to limit them. */
  get perSecond(): number | null {
    return this.#pace === null ? null : this.#pace * 1_000;
  }

  /** When the next call may begin: now or later. */
  readyAt(now: number): number {
    if (this.#pace === null || this.#nextAt <= now) return now;
    this.#heldBackAt = this.#nextAt;
    return this.#nextAt;
  }

  began(now: number): void {
    if (this.#pace === null) this.#beganFreely(now);
    else this.#beganAtPace(now, this.#pace);
    this.#current.started += 1;
  }

  succeeded(number: number): void {
    if (this.#pace === null || !this.#binds || number < this.#judgement.below) return;
    this.#provenStarts += 1;
    if (this.#provenStarts >= provenEnough) this.#series.judgements = 0;
    const seconds = this.#provenStarts / (this.#judged * 1_000);
    const wasRefused = this.#judgement.paceBefore !== null;
    const rise = wasRefused
      ? 1 + probing.by * (seconds / probing.withinSeconds) ** 3
      : Math.exp(probing.firstPerSecond * seconds);
    this.#pace = this.#judged * rise;
  }

  /**
   * `hintMs`: null for a refusal without a hint; the pace then waits for what is left of the shortest period.
   * `next`: the number that the next call to begin will have. True for the first refusal of its round trip.
   */
  refused({ number, at }: { number: number; at: number }, hintMs: number | null, next: number): boolean {
    const until = at + withoutRounding(hintMs ?? 0);
    const isNews = number >= this.#judgement.below;
    if (isNews) {
      const earlier = this.#pace === null ? this.#before : this.#current;
      this.#judgement = { epochs: [this.#current, earlier], until, paceBefore: this.#pace, below: next };
      this.#resuming = true;
    }
    const [epoch, earlier] = this.#judgement.epochs;
    if (at >= epoch.from) epoch.refused += 1;
    else earlier.refused += 1;
    this.#judgement.until = Math.max(this.#judgement.until, until);
    if (at < this.#givenUpUntil) return isNews;
    this.#judge();
    if (isNews && this.#isPointless()) this.#giveUp(at);
    else this.#nextAt = Math.max(this.#nextAt, hintMs === null ? epoch.from + shortestPeriodMs : at + hintMs);
    return isNews;
  }

  /** The first epoch begins with the first start: what was before it would make the rate seem low. */
  #beganFreely(now: number): void {
    if (this.#current.started === 0) {
      this.#before = this.#current = newEpoch(now);
    } else if (now - this.#current.from >= shortestPeriodMs) {
      this.#before = this.#current;
      this.#current = newEpoch(now);
    }
  }

  #beganAtPace(now: number, pace: number): void {
    if (this.#resuming) {
      this.#resuming = false;
      this.#heldBackAt = now;
      this.#current = newEpoch(now);
    }
    this.#binds = now - this.#heldBackAt <= 1 / pace + lagMs;
    if (!this.#binds) this.#current.slack += 1;
    this.#nextAt = Math.max(this.#nextAt, now - lagMs) + 1 / pace;
    if (now - this.#heldBackAt > idleMs) this.#pace = null;
  }

  #judge(): void {
    const { epochs, until, paceBefore } = this.#judgement;
    // One lonely call that was refused shows when the next may come, but not how many.
    if (paceBefore === null && epochs.every(({ started }) => started <= 1)) return;
    const measured = Math.max(rateOf(epochs[0], until), rateOf(epochs[1], until)) * caution;
    if (paceBefore === null) {
      this.#judged = measured;
    } else {
      const [{ from, slack }] = epochs;
      const lowest = paceBefore * lowestPart(until - from, slack);
      this.#judged = Math.min(paceBefore * lowering.least, Math.max(measured, lowest));
    }
    this.#pace = this.#judged;
    this.#provenStarts = 0;
  }

  /** Takes note of a judgment; true when slowing down has not helped. */
  #isPointless(): boolean {
    if (this.#pace === null) return false;
    if (this.#series.judgements === 0) this.#series.firstPace = this.#pace;
    this.#series.judgements += 1;
    return this.#series.judgements >= pointless.judgements && this.#pace <= this.#series.firstPace * pointless.part;
  }

  #giveUp(at: number): void {
    this.#pace = null;
    this.#series.judgements = 0;
    this.#givenUpUntil = at + pointless.pauseMs;
  }
}

function newEpoch(from: number): Epoch {
  return { from, started: 0, refused: 0, slack: 0 };
}

/** Starts per millisecond that were let through, when the next is at `until`. */
function rateOf({ from, started, refused }: Epoch, until: number): number {
  return Math.max(1, started - refused) / Math.max(shortestPeriodMs, until - from);
}

/** To which part a refusal lowers the pace at most, by how long it was watched and how many starts it did not hold back. */
function lowestPart(watchedMs: number, slack: number): number {
  if (watchedMs < shortestPeriodMs) return lowering.mostWhenTooSoon;
  return slack > sure.slackStarts || watchedMs < sure.periodMs ? lowering.mostWhenUnsure : lowering.most;
}

/** A hint of whole seconds was rounded up, by half a second on average. */
function withoutRounding(hintMs: number): number {
  return hintMs > 0 && hintMs % 1_000 === 0 ? hintMs - 500 : hintMs;
}

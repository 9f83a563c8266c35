import type { Reply } from "../providers/scripted/script-schema.js";

/** A request, as a server that misbehaves sees it. */
export interface ChaosCall {
  /** From 1, over all models of the provider. */
  number: number;
  /** Since the first request, milliseconds. */
  elapsedMs: number;
  /** Uniform in [0, 1), repeatable. */
  random: number;
}

/** A way in which a provider misbehaves. */
export interface ChaosScenario {
  name: string;
  /** What the provider does, completing `The provider …`. */
  summary: string;
  /** Whether a patient client gets an answer to everything in the end. */
  isPassing: boolean;
  /** A server of this kind: its reply to each request. */
  open(): (call: ChaosCall) => Reply;
}

const well: Reply = { text: "This is an answer of the rehearsal.", delay: 400 };
const dayMs = 86_400_000;

const errorOf = (status: number, message: string, more: Partial<NonNullable<Reply["error"]>> = {}): Reply => ({
  delay: 100,
  error: { status, body: { error: { message } }, ...more },
});

const busy = errorOf(429, "Too many requests");
const unavailable = errorOf(503, "Service unavailable");
const noCredit = errorOf(429, "You exceeded your current quota", {
  body: { error: { message: "You exceeded your current quota", code: "insufficient_quota" } },
});
const refusedKey = errorOf(401, "Incorrect API key provided");
const cutConnection: Reply = { drop_after: 0, delay: 100 };

/** The first `share` of the requests, by lot, fare badly. */
function sometimes(share: number, bad: Reply): ChaosScenario["open"] {
  return () => (call) => (call.random < share ? bad : well);
}

const always =
  (reply: Reply): ChaosScenario["open"] =>
  () =>
  () =>
    reply;

/** 20 requests in each second; beyond that a 429 says how long the second still takes. */
function openRateLimited(): (call: ChaosCall) => Reply {
  let second = -1;
  let taken = 0;
  return ({ elapsedMs }) => {
    const now = Math.floor(elapsedMs / 1_000);
    if (now !== second) {
      second = now;
      taken = 0;
    }
    taken += 1;
    if (taken <= 20) return well;
    return { error: { status: 429, retry_after: (now + 1) * 1_000 - elapsedMs } };
  };
}

/** The rehearsals, from harmless to hopeless. */
export const chaosScenarios: readonly ChaosScenario[] = [
  { name: "calm", summary: "answers everything", isPassing: true, open: always(well) },
  {
    name: "rate-limited",
    summary: "accepts 20 requests per second and says how long to wait beyond that",
    isPassing: true,
    open: openRateLimited,
  },
  { name: "busy", summary: "rejects 30% with 429 and no retry hint", isPassing: true, open: sometimes(0.3, busy) },
  { name: "flaky", summary: "answers 20% with 503", isPassing: true, open: sometimes(0.2, unavailable) },
  {
    name: "failing",
    summary: "answers 30% with 500",
    isPassing: true,
    open: sometimes(0.3, errorOf(500, "Internal server error")),
  },
  { name: "slow", summary: "never answers 10%", isPassing: true, open: sometimes(0.1, { hang: true }) },
  {
    name: "cutting",
    summary: "cuts 15% of the answers in the middle",
    isPassing: true,
    open: sometimes(0.15, { text: well.text, delay: 400, drop_after: { chunks: 3 } }),
  },
  {
    name: "outage",
    summary: "is down for two minutes, then recovers",
    isPassing: true,
    open:
      () =>
      ({ elapsedMs }) =>
        elapsedMs < 120_000 ? unavailable : well,
  },
  {
    name: "long wait",
    summary: "asks to wait a day",
    isPassing: false,
    open: always(errorOf(429, "Daily limit reached", { retry_after: dayMs })),
  },
  { name: "dead", summary: "cuts every connection", isPassing: false, open: always(cutConnection) },
  { name: "bad key", summary: "rejects the key", isPassing: false, open: always(refusedKey) },
  { name: "no credit", summary: "reports that the quota is used up", isPassing: false, open: always(noCredit) },
];

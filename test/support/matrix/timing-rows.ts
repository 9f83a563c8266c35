import { backoff, type Row } from "./row.js";
import { after, drips, halfway, never, trickle, unavailable, well } from "./steps.js";

const timeout = { code: "PROVIDER_TIMEOUT", requests: 3, waits: backoff } as const;
const lateAnswer = { request: "2m" };

/** How long a server takes, against deadlines that nobody has shortened. The slowest come first. */
export const timingRows: readonly Row[] = [
  {
    name: "never an answer, for five attempts; the trial ends first",
    server: [never],
    config: { retry: "aggressive" },
    code: "ENGINE_TIMEOUT",
    message: "The trial took longer than 5 min",
    requests: 5,
    waits: [
      [500, 550],
      [750, 825],
      [1_125, 1_237.5],
      [1_687.5, 1_856.25],
    ],
    // All waits are part of the five minutes.
    spentMs: 300_000 - 4_062.5,
  },
  {
    ...timeout,
    name: "never an answer",
    server: [never],
    message: "OpenAI request timed out after 60000ms",
    spentMs: 180_000,
  },
  {
    ...timeout,
    name: "a piece every 20 s, for ever",
    server: [drips(" ", 20_000)],
    message: "OpenAI request timed out after 60000ms",
    spentMs: 180_000,
  },
  {
    ...timeout,
    name: "never any headers, where a request may take longer",
    server: [never],
    config: { timeouts: lateAnswer },
    message: "OpenAI request timed out after 60000ms without an answer",
    spentMs: 180_000,
  },
  {
    ...timeout,
    name: "half an answer and then nothing",
    server: [halfway(never)],
    message: "OpenAI request timed out after 30000ms in the middle of the reply",
    spentMs: 90_000,
  },
  {
    ...timeout,
    name: "headers and then nothing",
    server: [drips("", 1_000_000)],
    message: "OpenAI request timed out after 30000ms in the middle of the reply",
    spentMs: 90_000,
  },
  { name: "headers after 55 s", server: [after(55_000, well)], code: "passed", requests: 1, spentMs: 55_000 },
  {
    name: "headers after 65 s, and soon the second time",
    server: [after(65_000, well), well],
    config: { timeouts: lateAnswer },
    code: "passed",
    requests: 2,
    waits: backoff.slice(0, 1),
    spentMs: 60_000,
  },
  {
    name: "headers after 65 s, which the config allows",
    server: [after(65_000, well)],
    config: { timeouts: { ...lateAnswer, headers: "70s" } },
    code: "passed",
    requests: 1,
    spentMs: 65_000,
  },
  { name: "two gaps of 26 s", server: [trickle(2, 26_000)], code: "passed", requests: 1, spentMs: 52_000 },
  {
    name: "a gap of 34 s, and none the second time",
    server: [trickle(2, 34_000), well],
    code: "passed",
    requests: 2,
    waits: backoff.slice(0, 1),
    spentMs: 30_000,
  },
  {
    name: "an answer in 10 pieces within 50 s",
    server: [trickle(10, 5_000)],
    code: "passed",
    requests: 1,
    spentMs: 50_000,
  },
  {
    name: "an answer in 10 pieces within 80 s, which is too long",
    server: [trickle(10, 8_000), well],
    code: "passed",
    requests: 2,
    waits: backoff.slice(0, 1),
    spentMs: 60_000,
  },
  {
    name: "a failure that takes its time",
    server: [after(50_000, unavailable), well],
    code: "passed",
    requests: 2,
    waits: backoff.slice(0, 1),
    spentMs: 50_000,
  },
];

import { expect, it } from "vitest";
import { withoutVolatileFields } from "./without-volatile-fields.js";

it("takes out what differs between equal runs, and nothing else", () => {
  const report = {
    run: { id: "1", startedAt: "a", endedAt: "b", durationMs: 1, git: null, replayed: true, seed: 1 },
    summary: { passed: 1, replayed: 2, latencyMs: { p50: 1 }, providers: [{ provider: "p", limiter: { limit: 1 } }] },
    gates: [
      { name: "latency_p95", pass: true, limit: 5, actual: 3, message: "m", evaluated: false },
      { name: "cost", pass: true, limit: 5, actual: 3, message: "m" },
    ],
    suites: [
      {
        tests: [
          {
            id: "c",
            replayed: "kept: not a turn's",
            error: { code: "X", origin: { runId: "1", trial: 1 } },
            trials: [{ durationMs: 5, turns: [{ turn: 1, latencyMs: 1, timeToFirstTokenMs: 1, replayed: true }] }],
          },
        ],
      },
    ],
  };
  expect(withoutVolatileFields(report)).toEqual({
    run: { seed: 1 },
    summary: { passed: 1, providers: [{ provider: "p" }] },
    gates: [
      { name: "latency_p95", pass: true, limit: 5 },
      { name: "cost", pass: true, limit: 5, actual: 3, message: "m" },
    ],
    suites: [
      {
        tests: [
          {
            id: "c",
            replayed: "kept: not a turn's",
            error: { code: "X", origin: { trial: 1 } },
            trials: [{ turns: [{ turn: 1 }] }],
          },
        ],
      },
    ],
  });
});

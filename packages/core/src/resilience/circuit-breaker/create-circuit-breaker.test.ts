import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createManualClock } from "../../__fixtures__/manual-clock.js";
import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import type { AttemptOutcome } from "./attempt-outcome.js";
import { createCircuitBreaker, type BreakerChange, type ModelAdmission } from "./create-circuit-breaker.js";

const down = kindlmError("PROVIDER_NETWORK_ERROR", "Failed to connect", { details: { provider: "OpenAI" } });
const refusedKey = kindlmError("PROVIDER_AUTH_ERROR", "OpenAI API key is invalid or missing.", {
  details: { provider: "OpenAI", status: 401, apiKeyEnv: "OPENAI_API_KEY" },
});

const limited = kindlmError("PROVIDER_RATE_LIMIT", "OpenAI rate limit hit.", { details: { provider: "OpenAI" } });
const errors: Partial<Record<AttemptOutcome, KindlmError>> = {
  failed: down,
  key_refused: refusedKey,
  rate_limited: limited,
};

function open({ failures = 3, resetMs = 1_000 } = {}) {
  const clock = createManualClock();
  const changes: BreakerChange[] = [];
  const breaker = createCircuitBreaker(
    () => ({ failures, resetMs }),
    clock,
    (change) => changes.push(change),
  );
  const enter = (model = "m"): ModelAdmission => {
    const answer = breaker.enter(model);
    if (!answer.admitted) throw new Error(`refused: ${answer.error.message}`);
    return answer.admission;
  };
  const leave = (admission: ModelAdmission, outcome: AttemptOutcome): void =>
    breaker.leave(admission, outcome, errors[outcome] ?? null);
  const attempt = (outcome: AttemptOutcome, model = "m"): void => leave(enter(model), outcome);
  const attempts = (...outcomes: AttemptOutcome[]): void => outcomes.forEach((outcome) => attempt(outcome));
  return { breaker, clock, changes, enter, leave, attempt, attempts };
}

describe("createCircuitBreaker", () => {
  it("opens after so many failures in a row, of that model alone", () => {
    const { breaker, attempts, attempt, changes } = open();
    attempts("failed", "failed");
    expect(breaker.phaseOf("m")).toBe("closed");
    attempt("failed");
    expect(breaker.phaseOf("m")).toBe("open");
    expect(breaker.phaseOf("other")).toBe("closed");
    expect(changes).toEqual([{ model: "m", to: "open", error: down, resetMs: 1_000 }]);
  });

  it.each([
    ["answered", "closed"],
    ["rate_limited", "open"],
    ["unknown", "open"],
  ] as const)("after two failures, %s and one failure more it is %s", (outcome, phase) => {
    const { breaker, attempts } = open();
    attempts("failed", "failed", outcome, "failed");
    expect(breaker.phaseOf("m")).toBe(phase);
  });

  it("is not opened by rate limits", () => {
    const { breaker, attempts } = open();
    attempts(...Array.from({ length: 50 }, () => "rate_limited" as const));
    expect(breaker.phaseOf("m")).toBe("closed");
  });

  it("is opened by a server that answers nothing but 429 for two minutes, and stays so while it does", () => {
    const { breaker, attempt, attempts, clock } = open();
    attempt("rate_limited");
    clock.advance(120_000);
    attempts("rate_limited", "rate_limited");
    expect(breaker.phaseOf("m")).toBe("closed");
    attempt("rate_limited");
    expect(breaker.phaseOf("m")).toBe("open");
    expect(breaker.refusal("m")?.message).toBe(
      "The circuit breaker of OpenAI opened after 3 failed calls in a row. The last: OpenAI rate limit hit.",
    );
    clock.advance(1_000);
    attempt("rate_limited");
    expect(breaker.phaseOf("m")).toBe("open");
    clock.advance(1_000);
    attempts("answered", "rate_limited", "rate_limited", "rate_limited", "rate_limited");
    expect(breaker.phaseOf("m")).toBe("closed");
  });

  it("is not opened by rate limits between which something is answered", () => {
    const { breaker, attempts, clock } = open();
    for (let minute = 0; minute < 10; minute += 1) {
      attempts("rate_limited", "rate_limited", "rate_limited", "answered");
      clock.advance(60_000);
    }
    expect(breaker.phaseOf("m")).toBe("closed");
  });

  it("refuses with what the calls met, and reports when it reopens", () => {
    const { breaker, attempts, clock } = open();
    attempts("failed", "failed", "failed");
    clock.advance(400);
    expect(breaker.enter("m")).toEqual({
      admitted: false,
      error: kindlmError(
        "PROVIDER_CIRCUIT_OPEN",
        "The circuit breaker of OpenAI opened after 3 failed calls in a row. The last: Failed to connect",
        { details: { provider: "OpenAI", model: "m", retryable: false, reopensInMs: 600 } },
      ),
    });
  });

  it("lets one of ten through after the reset, and its answer closes", () => {
    const { breaker, attempts, clock, leave, changes } = open();
    attempts("failed", "failed", "failed");
    clock.advance(1_000);
    const answers = Array.from({ length: 10 }, () => breaker.enter("m"));
    expect(answers.map(({ admitted }) => admitted)).toEqual([true, ...Array.from({ length: 9 }, () => false)]);
    expect(answers[1]).toMatchObject({ error: { code: "PROVIDER_CIRCUIT_OPEN" } });
    expect(answers[1]).not.toHaveProperty("error.details.reopensInMs");
    const [probe] = answers;
    if (probe?.admitted !== true) throw new Error("no probe");
    leave(probe.admission, "answered");
    expect(changes.map(({ to }) => to)).toEqual(["open", "half_open", "closed"]);
    attempts("failed", "failed");
    expect(breaker.phaseOf("m")).toBe("closed");
  });

  it("opens for another while when the probe fails", () => {
    const { breaker, attempts, attempt, clock } = open();
    attempts("failed", "failed", "failed");
    clock.advance(1_500);
    attempt("failed");
    expect(breaker.enter("m")).toMatchObject({ admitted: false, error: { details: { reopensInMs: 1_000 } } });
    expect(breaker.enter("m")).toMatchObject({
      error: { message: expect.stringContaining("4 failed calls in a row") },
    });
    clock.advance(1_000);
    attempt("rate_limited");
    expect(breaker.phaseOf("m")).toBe("closed");
  });

  it("gives the place of a cancelled probe to the next call", () => {
    const { breaker, attempts, attempt, clock } = open();
    attempts("failed", "failed", "failed");
    clock.advance(1_000);
    attempt("unknown");
    expect(breaker.phaseOf("m")).toBe("half_open");
    attempt("answered");
    expect(breaker.phaseOf("m")).toBe("closed");
  });

  it("does not listen to what was in flight when it opened", () => {
    const { breaker, attempts, enter, leave, clock } = open();
    const [good, bad, late] = [enter(), enter(), enter()];
    attempts("failed", "failed", "failed");
    clock.advance(900);
    leave(bad, "failed");
    expect(breaker.enter("m")).toMatchObject({ error: { details: { reopensInMs: 100 } } });
    clock.advance(100);
    const probe = enter();
    leave(good, "answered");
    expect(breaker.phaseOf("m")).toBe("half_open");
    leave(late, "unknown");
    expect(breaker.enter("m").admitted).toBe(false);
    leave(probe, "failed");
    expect(breaker.phaseOf("m")).toBe("open");
  });

  it("reports beforehand what it would do, and does nothing by that", () => {
    const { breaker, attempts, clock } = open();
    expect(breaker.refusal("m")).toBeNull();
    attempts("failed", "failed", "failed");
    expect(breaker.refusal("m")).toMatchObject({ code: "PROVIDER_CIRCUIT_OPEN" });
    clock.advance(1_000);
    expect(breaker.refusal("m")).toBeNull();
    expect(breaker.phaseOf("m")).toBe("open");
  });

  it("opens for the whole key when the key is refused, and stays so", () => {
    const { breaker, enter, leave, attempt, changes, clock } = open();
    const inFlight = enter("other");
    attempt("key_refused");
    leave(inFlight, "key_refused");
    clock.advance(1_000_000);
    expect(breaker.enter("third")).toMatchObject({
      admitted: false,
      error: {
        code: "PROVIDER_CIRCUIT_OPEN",
        message:
          "The circuit breaker of OpenAI opened because the API key was refused. OpenAI API key is invalid or missing.",
        details: { apiKeyEnv: "OPENAI_API_KEY", model: "third", keyRefused: true },
      },
    });
    expect(breaker.phaseOf("third")).toBe("open");
    expect(changes).toEqual([{ model: null, to: "open", error: refusedKey, resetMs: null }]);
  });
});

const outcomes = fc.constantFrom<AttemptOutcome>("answered", "failed", "rate_limited", "unknown");
const step = fc.oneof(
  fc.record({ kind: fc.constant("enter" as const) }),
  fc.record({ kind: fc.constant("leave" as const), which: fc.nat(20), outcome: outcomes }),
  fc.record({ kind: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 1_500 }) }),
);

describe("any sequence of events", () => {
  it("never has two probes at once, opens only by failures, and always reopens after the reset", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), fc.integer({ min: 1, max: 4 }), (steps, failures) => {
        const { breaker, clock, leave } = open({ failures });
        const inFlight: { admission: ModelAdmission; probe: boolean }[] = [];
        let openedAt: number | null = null;
        for (const event of steps) {
          const before = breaker.phaseOf("m");
          if (event.kind === "wait") clock.advance(event.ms);
          if (event.kind === "enter") {
            const answer = breaker.enter("m");
            if (before === "closed") expect(answer.admitted).toBe(true);
            if (before === "open") expect(answer.admitted).toBe(clock.now() >= (openedAt ?? 0) + 1_000);
            if (answer.admitted) inFlight.push({ admission: answer.admission, probe: before !== "closed" });
            expect(inFlight.filter(({ probe }) => probe).length).toBeLessThanOrEqual(1);
          }
          if (event.kind === "leave" && inFlight.length > 0) {
            const [attempt] = inFlight.splice(event.which % inFlight.length, 1);
            if (attempt === undefined) continue;
            leave(attempt.admission, event.outcome);
            const after = breaker.phaseOf("m");
            if (after === "open" && before !== "open") {
              expect(event.outcome).toBe("failed");
              openedAt = clock.now();
            }
            if (before === "open") expect(after).toBe("open");
            if (before === "half_open" && after !== "half_open") expect(attempt.probe).toBe(true);
          }
        }
        clock.advance(1_000);
        if (breaker.phaseOf("m") === "open") expect(breaker.enter("m").admitted).toBe(true);
      }),
    );
  });

  it("lets at most concurrency + failures attempts reach a dead server within one reset", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 10 }),
        fc.infiniteStream(fc.nat()),
        (concurrency, failures, order) => {
          const { breaker, leave } = open({ failures });
          const inFlight: ModelAdmission[] = [];
          let admitted = 0;
          for (let asked = 0; asked < 200; asked += 1) {
            const answer = breaker.enter("m");
            if (answer.admitted) {
              admitted += 1;
              inFlight.push(answer.admission);
            }
            if (inFlight.length < concurrency) continue;
            const [ended] = inFlight.splice(Number(order.next().value) % inFlight.length, 1);
            if (ended !== undefined) leave(ended, "failed");
          }
          expect(admitted).toBeLessThanOrEqual(concurrency + failures);
          expect(admitted).toBeGreaterThanOrEqual(failures);
        },
      ),
    );
  });
});

import { renderDuration } from "../values/duration.js";
import type { ChaosOutcome } from "./chaos-report.js";
import type { ChaosScenario } from "./chaos-scenarios.js";

/** A run that takes this much longer than with a calm provider is worth a word. */
const muchLonger = 10;
const noticeableMs = 60_000;

/** What may be worth a change in the config, by how a rehearsal went. `calmMs`: how long it takes without trouble. */
export function adviseOn(
  outcome: Omit<ChaosOutcome, "advice">,
  { isPassing }: Pick<ChaosScenario, "isPassing">,
  calmMs: number,
): readonly string[] {
  const { answered, errored, requests, circuitOpened, fallbacks, durationMs, exitCode } = outcome;
  const advice: string[] = [];
  if (isPassing && errored > 0 && circuitOpened > 0) {
    advice.push(
      "the circuit opened although the provider recovered: raise circuit_breaker.failures, or add a fallback",
    );
  } else if (isPassing && errored > 0) {
    advice.push("temporary failures cost tests: more attempts (retry: aggressive) or a fallback would save them");
  }
  if (!isPassing && answered === 0 && circuitOpened === 0 && errored > 1 && requests >= 2 * errored) {
    advice.push("every test retried to the end without success: circuit_breaker would have stopped early");
  }
  if (errored > 0 && exitCode === 0) {
    advice.push(`the exit code would be 0 although ${errored === 1 ? "1 test" : `${errored} tests`} errored`);
  }
  if (fallbacks === 1) advice.push("1 answer would be that of another model; its case is marked");
  if (fallbacks > 1) advice.push(`${fallbacks} answers would be those of another model; their cases are marked`);
  if (durationMs > noticeableMs && durationMs > calmMs * muchLonger) {
    advice.push(`the run would take ${renderDuration(durationMs)} instead of ${renderDuration(calmMs)}`);
  }
  return advice;
}

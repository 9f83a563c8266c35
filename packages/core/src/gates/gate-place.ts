import type { GateResult } from "../engine/gate-result.js";

/** What a gate is about: a suite by its name, or null for the run. */
export type GatePlace = string | null;

type GateFinding = Omit<Extract<GateResult, { scope: "run" }>, "scope">;

export function placed(place: GatePlace, finding: GateFinding): GateResult {
  return place === null ? { ...finding, scope: "run" } : { ...finding, scope: "suite", suite: place };
}

/** `pass_rate`, or `pass_rate of suite "refunds"`. */
export function nameIn(place: GatePlace, name: string): string {
  return place === null ? name : `${name} of suite "${place}"`;
}

export function notEvaluated(place: GatePlace, name: string, limit: number, reason: string): GateResult {
  const message = `${nameIn(place, name)} is not evaluated: ${reason}`;
  return placed(place, { name, pass: true, limit, actual: null, message, evaluated: false });
}

/** The name of a gate as its message has it. */
export function nameOfGate(gate: GateResult): string {
  return nameIn(gate.scope === "suite" ? gate.suite : null, gate.name);
}

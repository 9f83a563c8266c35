import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import type { RanTest } from "../usability-of.js";

/** A case `orders/<name>@m` that passed its one trial, and whatever else is said of it. */
export function ranTest(name: string, more: Partial<Omit<RanTest, "status" | "error">> = {}): RanTest {
  return {
    id: `orders/${name}@m`,
    suite: "orders",
    name,
    model: "m",
    row: null,
    prompt: null,
    fault: null,
    tags: [],
    critical: false,
    allowFailure: null,
    position: null,
    mixed: false,
    passes: 1,
    required: 1,
    runs: 1,
    counted: 1,
    interval: null,
    latencyMs: 1,
    costUsd: 0,
    decisiveTrial: 1,
    fallback: null,
    servedBy: "m-2026",
    agentHash: "bbbbbbbbbbbbbbbb",
    checkHash: "aaaaaaaaaaaaaaaa",
    ...more,
    status: "passed",
    error: null,
  };
}

/** The same, failed. */
export function failedTest(name: string, more: Parameters<typeof ranTest>[1] = {}): RanTest {
  return { ...ranTest(name, { passes: 0, ...more }), status: "failed", error: null };
}

export function erroredTest(
  name: string,
  code: "PROVIDER_TIMEOUT" | "ENGINE_MAX_TURNS",
  more: Parameters<typeof ranTest>[1] = {},
): RanTest {
  const error: KindlmError =
    code === "PROVIDER_TIMEOUT" ? kindlmError(code, "no luck") : kindlmError("ENGINE_MAX_TURNS", "no luck");
  return { ...ranTest(name, { passes: 0, ...more }), status: "errored", error };
}

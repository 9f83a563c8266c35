import type { GateConfig } from "../config/gate-config.js";
import type { GateResult } from "../engine/gate-result.js";
import type { RunSummary } from "../engine/run-result.js";
import { toolErrorTypes } from "../transcript/tool-failure.js";
import { renderDuration } from "../values/duration.js";
import { plural } from "../values/plural.js";

interface GateDefinition {
  /** As in the config. */
  name: string;
  limitOf(config: GateConfig): number | undefined;
  /** Null when it can not be told. */
  actualOf(summary: RunSummary): number | null;
  atLeast: boolean;
  render(value: number): string;
  /** Why the run can say nothing about it; null when it can. */
  exempts?(summary: RunSummary): string | null;
}

const percent = (rate: number): string => `${Number((rate * 100).toFixed(1))} %`;
const dollars = (usd: number): string => `$${Number(usd.toFixed(4))}`;

/** Every gate; a new one joins with one entry. */
const gates: readonly GateDefinition[] = [
  {
    name: "pass_rate",
    limitOf: (config) => config.passRate,
    actualOf: (summary) => summary.passRate,
    atLeast: true,
    render: percent,
  },
  {
    name: "first_try",
    limitOf: (config) => config.firstTry,
    actualOf: (summary) => summary.firstTryRate ?? null,
    atLeast: true,
    render: percent,
  },
  {
    name: "errored",
    limitOf: (config) => config.errored,
    actualOf: (summary) => summary.errored,
    atLeast: false,
    render: String,
  },
  {
    name: "cost",
    limitOf: (config) => config.costUsd,
    actualOf: (summary) => summary.costUsd,
    atLeast: false,
    render: dollars,
  },
  {
    name: "latency_p95",
    limitOf: (config) => config.latencyP95Ms,
    actualOf: (summary) => summary.latencyMs?.p95 ?? null,
    atLeast: false,
    render: renderDuration,
    exempts: ({ replayed }) =>
      replayed === undefined ? null : `${plural(replayed, "request")} replayed, which tells no latency of today`,
  },
  {
    name: "tool_errors",
    limitOf: (config) => config.toolErrors?.total,
    actualOf: ({ toolErrors }) => Object.values(toolErrors).reduce((sum, count) => sum + count, 0),
    atLeast: false,
    render: String,
  },
  ...toolErrorTypes.map((type): GateDefinition => ({
    name: `tool_errors.${type}`,
    limitOf: (config) => config.toolErrors?.[type],
    actualOf: (summary) => summary.toolErrors[type] ?? 0,
    atLeast: false,
    render: String,
  })),
];

/** Evaluates the gates that the config sets. One that can not be evaluated does not pass, unless the run is exempt. */
export function decideGates(config: GateConfig, summary: RunSummary): readonly GateResult[] {
  return gates.flatMap((gate) => {
    const limit = gate.limitOf(config);
    if (limit === undefined) return [];
    const exemption = gate.exempts?.(summary) ?? null;
    return [exemption === null ? decideGate(gate, limit, gate.actualOf(summary)) : exempt(gate, limit, exemption)];
  });
}

function exempt({ name }: GateDefinition, limit: number, reason: string): GateResult {
  const message = `${name} is not evaluated: ${reason}`;
  return { name, scope: "run", pass: true, limit, actual: null, message, evaluated: false };
}

function decideGate(gate: GateDefinition, limit: number, actual: number | null): GateResult {
  const pass = actual !== null && (gate.atLeast ? actual >= limit : actual <= limit);
  const wanted = `${gate.atLeast ? "at least" : "at most"} ${gate.render(limit)}`;
  const found = actual === null ? "unknown" : gate.render(actual);
  return {
    name: gate.name,
    scope: "run",
    pass,
    limit,
    actual,
    message: `${gate.name} is ${found}, required ${wanted}`,
  };
}

import type * as z from "zod";
import { attackSuccessRate } from "./attack-success-rate/attack-success-rate.js";
import { arms } from "./arms/arms.js";
import { cost } from "./cost/cost.js";
import { costIncrease } from "./cost-increase/cost-increase.js";
import { tokensIncrease } from "./tokens-increase/tokens-increase.js";
import { latencyIncrease } from "./latency-increase/latency-increase.js";
import { turnsIncrease } from "./turns-increase/turns-increase.js";
import { toolCallsIncrease } from "./tool-calls-increase/tool-calls-increase.js";
import type { GateDefinition } from "./define-gate.js";
import { errored } from "./errored/errored.js";
import { firstTry } from "./first-try/first-try.js";
import type { GateLimit } from "./gate-limit.js";
import { judgeAvg } from "./judge-avg/judge-avg.js";
import { latencyP95 } from "./latency-p95/latency-p95.js";
import { onInconclusive } from "./on-inconclusive/on-inconclusive.js";
import { passRate } from "./pass-rate/pass-rate.js";
import { regressions } from "./regressions/regressions.js";
import { toolErrors } from "./tool-errors/tool-errors.js";
import { utility } from "./utility/utility.js";
import { utilityUnderAttack } from "./utility-under-attack/utility-under-attack.js";

/** Every gate, in the order of the docs and of results. To add one: its folder, and its line here. */
const gates = [
  passRate,
  firstTry,
  judgeAvg,
  errored,
  cost,
  latencyP95,
  toolErrors,
  utility,
  utilityUnderAttack,
  attackSuccessRate,
  regressions,
  onInconclusive,
  costIncrease,
  tokensIncrease,
  latencyIncrease,
  turnsIncrease,
  toolCallsIncrease,
  arms,
] as const;

type Gate = (typeof gates)[number];

/** What a run or a suite must come to, as it is kept with the run. Only what is written is there. */
export type GateConfig = { [One in Gate as One["keptAs"]]?: z.output<One["schema"]> };

export const gateDefinitions: readonly GateDefinition[] = gates;

/** The gates that a config sets, each with its limits. */
export function gatesIn(config: GateConfig): readonly { gate: GateDefinition; limits: readonly GateLimit[] }[] {
  const values: Readonly<Record<string, unknown>> = config;
  return gateDefinitions.flatMap((gate) => {
    const value = values[gate.keptAs];
    const limits = value === undefined ? [] : gate.limitsOf(value);
    return limits.length === 0 ? [] : [{ gate, limits }];
  });
}

/** The gates of a config without some of them. */
export function withoutGates(config: GateConfig, isLeftOut: (gate: GateDefinition) => boolean): GateConfig {
  const left = new Set(gateDefinitions.filter(isLeftOut).map(({ keptAs }) => keptAs));
  return Object.fromEntries(Object.entries(config).filter(([key]) => !left.has(key)));
}

/** The name of a result: of the gate, and of the part that it limits. */
export function resultNameOf({ name, resultName = name }: GateDefinition, part?: string): string {
  return part === undefined ? resultName : `${resultName}.${part}`;
}

/** The definition behind a result; undefined for a gate of another version of KindLM. */
export function definitionOf({ name }: { name: string }): GateDefinition | undefined {
  const [resultName] = name.split(".");
  return gateDefinitions.find((gate) => resultNameOf(gate) === resultName);
}

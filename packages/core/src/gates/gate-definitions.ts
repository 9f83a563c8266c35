import type { GateConfig } from "../config/gate-config.js";
import { comparisonGates } from "./comparison-gates.js";
import type { FailuresRead } from "./gate-place.js";
import { measuredGates } from "./measured-gates.js";

/** What all gates have in common, whatever they are evaluated on. */
export interface GateDefinition {
  name: string;
  limitOf(config: GateConfig): number | undefined;
  readsFailures: FailuresRead;
}

const definitions: readonly GateDefinition[] = [...measuredGates, ...comparisonGates];

/** The gates that a config sets. */
export function gatesIn(config: GateConfig): readonly GateDefinition[] {
  return definitions.filter((gate) => gate.limitOf(config) !== undefined);
}

/** The definition behind a result; undefined for a gate of another version of KindLM. */
export function definitionOf({ name }: { name: string }): GateDefinition | undefined {
  return definitions.find((gate) => gate.name === name);
}

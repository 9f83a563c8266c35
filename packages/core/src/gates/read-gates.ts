import { isRecord } from "../values/json.js";
import type { WrittenGates } from "./gates-schema.js";
import { gateDefinitions, type GateConfig } from "./registry.js";

/** Takes one setting from those who write it; `name` is its key under `gates`. */
type TakeSetting = (name: string, read: (written: WrittenGates) => unknown) => unknown;

/** The gates of one suite; undefined if nothing is asked. */
export function readGates(written: WrittenGates | undefined): GateConfig | undefined {
  if (written === undefined) return undefined;
  const gates = mergeGates([written], (_name, read) => read(written));
  return Object.keys(gates).length === 0 ? undefined : gates;
}

/** The gates that several configs set together. Where a gate takes an object, each of its keys is a setting. */
export function mergeGates(all: readonly WrittenGates[], take: TakeSetting): GateConfig {
  const merged = gateDefinitions.map(({ name, keptAs }): [string, unknown] => {
    const parts = all.map((written) => written[name]).filter(isRecord);
    if (parts.length === 0) return [keptAs, take(name, (written) => written[name])];
    const keys = [...new Set(parts.flatMap((part) => Object.keys(part)))];
    const entries = keys.map((key): [string, unknown] => [key, take(name, (written) => partOf(written[name], key))]);
    return [keptAs, entries.length === 0 ? undefined : Object.fromEntries(entries)];
  });
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined));
}

function partOf(value: unknown, key: string): unknown {
  return isRecord(value) ? value[key] : undefined;
}

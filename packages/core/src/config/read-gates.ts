import { toolErrorTypes, type ToolErrorType } from "../transcript/tool-failure.js";
import type { GateConfig } from "./gate-config.js";
import type { WrittenGates } from "./schema/gates-schema.js";

/** Reads one value of `gates`; `key` is where it is written. */
export type ReadGate = <T>(key: keyof WrittenGates, read: (written: WrittenGates) => T | undefined) => T | undefined;

/** What `gates` ask for. Only what is written is there. */
export function readGates(read: ReadGate): GateConfig {
  const toolErrors: NonNullable<GateConfig["toolErrors"]> = {};
  for (const type of [...toolErrorTypes, "total"] as const) {
    const limit = read("tool_errors", (written) => toolErrorLimit(written, type));
    if (limit !== undefined) toolErrors[type] = limit;
  }
  return withoutUndefined({
    toolErrors: Object.keys(toolErrors).length > 0 ? toolErrors : undefined,
    passRate: read("pass_rate", (written) => written.pass_rate),
    firstTry: read("first_try", (written) => written.first_try),
    judgeAvg: read("judge_avg", (written) => written.judge_avg),
    errored: read("errored", (written) => written.errored),
    regressions: read("regressions", (written) => written.regressions),
    onInconclusive: read("on_inconclusive", (written) => written.on_inconclusive),
    costUsd: read("cost", (written) => written.cost),
    latencyP95Ms: read("latency_p95", (written) => written.latency_p95),
  });
}

/** The gates of one suite; undefined where nothing is asked. */
export function gatesOf(written: WrittenGates | undefined): GateConfig | undefined {
  if (written === undefined) return undefined;
  const gates = readGates((_key, read) => read(written));
  return Object.keys(gates).length === 0 ? undefined : gates;
}

/** One number limits all types together, a mapping each type. */
function toolErrorLimit({ tool_errors: written }: WrittenGates, type: ToolErrorType | "total"): number | undefined {
  if (typeof written === "number") return type === "total" ? written : undefined;
  return type === "total" ? undefined : written?.[type];
}

function withoutUndefined(gates: { [Key in keyof GateConfig]: GateConfig[Key] | undefined }): GateConfig {
  return Object.fromEntries(Object.entries(gates).filter(([, value]) => value !== undefined));
}

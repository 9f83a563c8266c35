export const faultKinds = [
  "error",
  "latency",
  "hang",
  "truncate",
  "drop_fields",
  "malformed_json",
  "duplicate",
] as const;

/** What a fault does to a tool call. */
export type FaultKind = (typeof faultKinds)[number];

/** The fault that a tool call met. */
export interface FiredFault {
  id: string;
  kind: FaultKind;
  /** What the tool returned before the fault changed it; of a duplicate, what its first run returned. */
  returned?: unknown;
}

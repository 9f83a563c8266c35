export const gatewayChangeKinds = ["changed", "dropped", "refused"] as const;

/** What was done to a part of an agent's request on its way to the model. */
export interface GatewayChange {
  /** Where it is in the request, such as `tools[].strict`; `[]` is any place in a list. */
  path: string;
  kind: (typeof gatewayChangeKinds)[number];
  reason: string;
}

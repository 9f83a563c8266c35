/** One value of the state that a tool call changed. A missing `from` or `to` was not there. */
export interface StateChange {
  /** Such as `orders.ORD-1.status`. */
  path: string;
  from?: unknown;
  to?: unknown;
}

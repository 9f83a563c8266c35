import { randomBytes } from "node:crypto";

/** IDs of W3C Trace Context: hexadecimal digits, never all zeros. */
function createId(bytes: number): string {
  const id = randomBytes(bytes);
  if (id.every((byte) => byte === 0)) id[0] = 1;
  return id.toString("hex");
}

export function createTraceId(): string {
  return createId(16);
}

export function createSpanId(): string {
  return createId(8);
}

/**
 * The header `traceparent` of W3C Trace Context, version 00. Its flag says that the trace is sampled, so agents that leave
 * the decision to their caller record it.
 */
export function traceparentOf(traceId: string, spanId: string): string {
  return `00-${traceId}-${spanId}-01`;
}

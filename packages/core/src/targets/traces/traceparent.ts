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

/**
 * What SDKs of OpenTelemetry look for in their environment, undefined for what must not be there: an agent under test
 * sends its spans to KindLM and nothing to anyone else.
 */
export function traceEnvironment(endpoint: string, traceparent: string): Readonly<Record<string, string | undefined>> {
  return {
    TRACEPARENT: traceparent,
    OTEL_SDK_DISABLED: undefined,
    OTEL_TRACES_EXPORTER: "otlp",
    OTEL_METRICS_EXPORTER: "none",
    OTEL_LOGS_EXPORTER: "none",
    OTEL_TRACES_SAMPLER: "parentbased_always_on",
    OTEL_TRACES_SAMPLER_ARG: undefined,
    OTEL_BSP_SCHEDULE_DELAY: "200",
    ...ofSignal("OTEL_EXPORTER_OTLP", endpoint),
    ...ofSignal("OTEL_EXPORTER_OTLP_TRACES", `${endpoint}/v1/traces`),
  };
}

function ofSignal(prefix: string, endpoint: string): Readonly<Record<string, string | undefined>> {
  return {
    [`${prefix}_ENDPOINT`]: endpoint,
    [`${prefix}_PROTOCOL`]: "http/protobuf",
    // Keys of another collector.
    [`${prefix}_HEADERS`]: undefined,
    [`${prefix}_CERTIFICATE`]: undefined,
    [`${prefix}_CLIENT_CERTIFICATE`]: undefined,
    [`${prefix}_CLIENT_KEY`]: undefined,
    [`${prefix}_INSECURE`]: undefined,
  };
}

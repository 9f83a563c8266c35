import { withDetails, type KindlmError } from "../errors/kindlm-error.js";
import { failure, type Result } from "../result.js";
import type { AttemptRecord } from "../transcript/attempt.js";
import { callEndpoint, type ResponseMetrics, type CallPorts, type ModelRequest } from "./call-endpoint.js";
import type { ModelRoute, RouteTarget } from "./model-route.js";

export interface RoutedCall<Answer> {
  result: Result<Answer>;
  attempts: readonly AttemptRecord[];
  /** Where on the route the call ended; the next one of the conversation starts there. */
  position: number;
}

/**
 * Asks the model at `from` on the route and, while it is down, those after it. `createRequest`: how each of them is asked.
 */
export async function callRoute<Answer extends ResponseMetrics>(
  createRequest: (target: RouteTarget) => ModelRequest<Answer>,
  route: ModelRoute,
  from: number,
  ports: CallPorts,
  { signal }: { signal: AbortSignal },
): Promise<RoutedCall<Answer>> {
  const attempts: AttemptRecord[] = [];
  const failed: { target: RouteTarget; error: KindlmError }[] = [];
  let position = from;
  for (;;) {
    const target = route[position] ?? route[0];
    const result = await callEndpoint(createRequest(target), target, ports, attempts, signal);
    if (result.success || signal.aborted) return { result, attempts, position };
    failed.push({ target, error: result.error });
    const next = route[position + 1];
    if (next === undefined || !mayFallBack(result.error)) {
      return { result: failure(withFallbacks(failed, result.error)), attempts, position };
    }
    ports.listener.fellBack(target.endpoint.model, next.endpoint.model, result.error);
    position += 1;
  }
}

/** The error of the model that was to answer; what became of the others is added to it. */
function withFallbacks(failed: readonly { target: RouteTarget; error: KindlmError }[], last: KindlmError): KindlmError {
  const [first, ...others] = failed;
  if (first === undefined || others.length === 0) return last;
  const fallbacks = others.map(({ target, error }) => ({
    model: target.endpoint.model,
    code: error.code,
    message: error.message,
  }));
  const told = fallbacks.map(({ model, message }) => `fallback ${model}: ${message.replace(/\.$/, "")}`).join("; ");
  const message = `${first.error.message.replace(/\.$/, "")} (${told})`;
  return withDetails(first.error, { fallbacks }, message);
}

/**
 * Whether another model is asked after this error: on a rate limit, a timeout, a network failure, a 5xx or an open
 * circuit. Never on a refused key, an exhausted quota or another 4xx, which people have to fix, and never after a
 * part of the answer was there.
 */
function mayFallBack(error: KindlmError): boolean {
  switch (error.code) {
    case "PROVIDER_RATE_LIMIT":
    case "PROVIDER_TIMEOUT":
    case "PROVIDER_NETWORK_ERROR":
      return (error.details?.partialText ?? "") === "";
    case "PROVIDER_API_ERROR": {
      const { status = 0, quota = false, partialText = "" } = error.details ?? {};
      return status >= 500 && !quota && partialText === "";
    }
    case "PROVIDER_CIRCUIT_OPEN":
      return error.details?.keyRefused !== true;
    default:
      return false;
  }
}

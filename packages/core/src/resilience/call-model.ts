import type { DialectName } from "../providers/dialect-name.js";
import type { ProviderRequest, ProviderResponse } from "../providers/provider.js";
import type { CallPorts, ModelRequest } from "./call-endpoint.js";
import { callRoute, type RoutedCall } from "./call-route.js";
import { estimateTokens } from "./estimate-tokens.js";
import type { ModelRoute, RouteTarget } from "./model-route.js";

export type ModelCall = RoutedCall<ProviderResponse>;

/** What is asked; how, is a matter of the model that is asked. */
export type ModelQuestion = Omit<ProviderRequest, "params" | "timeouts" | "stream">;

/** One turn: asks the model at `from` on the route and, while it is down, those after it. */
export function callModel(
  question: ModelQuestion,
  route: ModelRoute,
  from: number,
  ports: CallPorts,
  options: { signal: AbortSignal },
): Promise<ModelCall> {
  return callRoute((target) => toModelRequest(toRequest(question, target)), route, from, ports, options);
}

function toModelRequest(request: ProviderRequest): ModelRequest<ProviderResponse> {
  return {
    origin: request.origin,
    estimateTokens: () => estimateTokens(request),
    send: (adapter, origin, options) =>
      adapter.complete(origin === request.origin ? request : { ...request, origin }, options),
  };
}

/** Whether requests in this language go to the model as they are. */
export function speaks({ endpoint }: RouteTarget, dialect: DialectName): boolean {
  return endpoint.adapter.dialects?.includes(dialect) === true;
}

function toRequest(question: ModelQuestion, target: RouteTarget): ProviderRequest {
  const { system, messages, tools, origin, native } = question;
  const { params, timeouts, stream } = target;
  if (native !== undefined && speaks(target, native.dialect)) {
    return { messages: [], tools, params, timeouts, origin, native, ...(native.isStream ? { stream: true } : {}) };
  }
  const request: ProviderRequest = { messages, tools, params, timeouts, origin };
  if (system !== undefined) request.system = system;
  if (stream) request.stream = true;
  return request;
}

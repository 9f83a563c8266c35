import type { ProviderAdapter, ProviderRequest } from "../../packages/core/src/providers/provider.js";
import { createUndiciTransport } from "../../packages/core/src/providers/http/undici-transport.js";
import type { ProviderPorts } from "../../packages/core/src/providers/define-provider.js";
import { findProvider } from "../../packages/core/src/providers/registry.js";
import { createSystemClock } from "../../packages/core/src/values/clock.js";

const clock = createSystemClock();
export const transport = createUndiciTransport(clock);

export interface AdapterSetup {
  type: string;
  providerName?: string;
  model?: string;
  provider?: Readonly<Record<string, unknown>>;
  env?: Readonly<Record<string, string | undefined>>;
}

/** An adapter over real HTTP; `ports` may put another clock or transport in place of the usual ones. */
export function adapterFor(
  { type, providerName, model, provider = {}, env = {} }: AdapterSetup,
  ports: Partial<ProviderPorts> = {},
): ProviderAdapter {
  const definition = findProvider(type);
  if (definition === null) throw new Error(`No provider ${type}`);
  const settings = {
    id: "under-test",
    providerName: providerName ?? type,
    model: model ?? "test-model",
    provider,
    own: {},
    documents: {},
  };
  const created = definition.create(settings, { http: transport, clock, env, ...ports });
  if (!created.success) throw new Error(created.error.message);
  return created.data;
}

/** A request with one user message, and whatever else is given. */
export function requestOf(parts: Partial<ProviderRequest> = {}): ProviderRequest {
  return {
    messages: [{ role: "user", content: "Where is order ORD-1?" }],
    tools: [],
    params: {},
    origin: { caseId: "suite/test", trial: 1, turn: 1, seed: 1 },
    ...parts,
  };
}

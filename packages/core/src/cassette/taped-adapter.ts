import type { ResolvedModel } from "../config/resolved-model.js";
import type { ModelSettings, ProviderDefinition, ProviderPorts } from "../providers/define-provider.js";
import type { ExchangeContext } from "../providers/http/transport.js";
import type { ProviderAdapter, ProviderResponse, RequestOrigin } from "../providers/provider.js";
import { success, type Result } from "../result.js";
import type { ExchangeLine } from "./cassette-lines.js";
import type { TapedTransport } from "./taped-transport.js";

export interface TapedAdapterSettings {
  transport: TapedTransport;
  isReplay: boolean;
  redact(text: string): string;
  /** Called with the reason if an answer was not recorded. */
  warn(message: string): void;
}

/** The adapter of a model as it always is, over a transport that knows whose each request is. */
export function openTapedAdapter(
  { definition, settings: model }: Pick<ResolvedModel, "definition" | "settings">,
  ports: ProviderPorts,
  { transport, isReplay, redact, warn }: TapedAdapterSettings,
): Result<ProviderAdapter> {
  const env = isReplay ? withSomeKey(definition, model, ports.env) : ports.env;
  const created = definition.create(model, { ...ports, env, http: transport });
  if (!created.success) return created;
  const asked = { provider: model.providerName, model: model.model };
  const exchangeOf = ({ caseId, trial, turn, attempt = 1, volatile = {} }: RequestOrigin): ExchangeContext => {
    return { asked, caseId, trial, turn, attempt, volatile };
  };
  const live = created.data;
  const taped: ProviderAdapter = {
    async complete(request, options) {
      const exchange = exchangeOf(request.origin);
      const answered = await live.complete(request, { signal: options.signal, exchange });
      if (exchange.replayedMs !== undefined) options.replayedMs = exchange.replayedMs;
      transport.amend(exchange, (line) => {
        if (!answered.success) return withError(line, answered.error.code);
        if (request.stream !== true || !hasSecret(answered.data, redact)) return line;
        // In a stream a secret comes in pieces, which nobody can take out one by one.
        warn(`An answer of ${asked.model} holds a secret, in pieces, and was not recorded (${exchange.caseId})`);
        return null;
      });
      return answered;
    },
  };
  const { embed } = live;
  if (embed !== undefined) {
    taped.embed = async (request, options) => {
      const exchange = exchangeOf(request.origin);
      const answered = await embed(request, { signal: options.signal, exchange });
      if (exchange.replayedMs !== undefined) options.replayedMs = exchange.replayedMs;
      if (!answered.success) transport.amend(exchange, (line) => withError(line, answered.error.code));
      return answered;
    };
  }
  return success(taped);
}

/** An error inside of a success is a failure that may pass as well. */
function withError(line: ExchangeLine, error: string): ExchangeLine {
  const { passing, ...rest } = line;
  const mayPass = passing === true || (line.status !== undefined && line.status < 300);
  return mayPass ? { ...rest, error, passing: true } : { ...rest, error };
}

function hasSecret({ text, toolCalls, ranCalls = [] }: ProviderResponse, redact: (text: string) => string): boolean {
  const said = [text, JSON.stringify([...toolCalls, ...ranCalls])];
  return said.some((one) => redact(one) !== one);
}

/** A replay needs no key, but an adapter does not even ask without one. */
function withSomeKey(
  definition: ProviderDefinition,
  model: ModelSettings,
  env: ProviderPorts["env"],
): ProviderPorts["env"] {
  const keys = definition.inspect(model, env)?.keys ?? [];
  const [first] = keys;
  return first === undefined || keys.some(({ isSet }) => isSet) ? env : { ...env, [first.env]: "replayed" };
}

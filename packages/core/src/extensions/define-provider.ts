import type { ModelParams, RequestOrigin, ToolDefinition } from "../providers/provider.js";
import type { ArgsOf, ParamDefinitions } from "../tools/param-definition.js";
import type { Message } from "../transcript/message.js";
import type { Usage } from "../transcript/usage.js";
import { registering } from "./extension.js";

/** One request to a model of a registered provider, frozen. */
export interface ProviderCall {
  /** The model's name, as the config has it. */
  model: string;
  /** Absent without a system prompt. */
  system?: string;
  messages: readonly Message[];
  /** The tools that the model may call; `parameters` is a JSON Schema. */
  tools: readonly ToolDefinition[];
  /** Parameters of the config under their own names. An absent one means the provider's default. */
  params: ModelParams;
}

/** What a registered provider receives in addition to the request. */
export interface ProviderCallContext<Options = unknown> {
  /** The options of the entry in `providers:`, checked and with their defaults. */
  options: Options;
  /** The trial and turn that the request belongs to, all counted from 1. */
  origin: Pick<RequestOrigin, "caseId" | "trial" | "turn" | "seed"> & { attempt: number };
  /** Aborts at the `request` deadline of the model and when the run is stopped. */
  signal: AbortSignal;
}

/** The answer of a model. It needs text or tool calls. */
export interface ProviderAnswer {
  text?: string;
  /** Tool calls in the order in which the model made them. Default of `id`: one that KindLM makes. */
  toolCalls?: readonly { id?: string; tool: string; args?: unknown }[];
  /**
   * `stop`, `tool_calls`, `length`, `content_filter`, or `refusal`; any other word counts as `other`. Default: `stop`,
   * or `tool_calls` if there are any.
   */
  finishReason?: string;
  /** Tokens. Counts that no request can have are ignored, as if the provider had reported none. */
  usage?: Usage;
  /** The model that answered, if the provider names it. */
  model?: string;
  /** The provider's ID of the exchange. */
  requestId?: string;
  /** Data that later requests must return with this message, as JSON. */
  providerData?: unknown;
}

/** What an error that a registered provider throws may carry in addition to its message. */
export interface ProviderFault {
  /** HTTP status of the API, 400 to 599: 401 and 403 count as a rejected key, 429 as a rate limit. Default: 500. */
  status?: number;
  /** Whether the same request may work again. Default: what the retry policy says of `status`; false without one. */
  retryable?: boolean;
  /** How long to wait before that, milliseconds. */
  retryAfterMs?: number;
}

/** A provider that a module of `extensions:` registers. */
export interface ProviderExtension<Options extends ParamDefinitions = ParamDefinitions> {
  /** The provider's name in the config, such as `mine` in `mine:small`: lower case letters, digits and `_`. */
  type: string;
  /** Its name in messages. Default: `type`. */
  label?: string;
  /**
   * The keys that an entry of `providers:` with this type takes, as the parameters of a tool are defined. Default: none.
   * Put a key in as `${NAME}`: the value of the variable is masked in all output.
   */
  options?: Options;
  /**
   * Makes one request and returns the answer. It does not retry: KindLM does, if what it throws says that it may.
   * Throws an error, which may carry the fields of {@link ProviderFault}.
   */
  complete(
    request: ProviderCall,
    context: ProviderCallContext<ArgsOf<Options>>,
  ): ProviderAnswer | Promise<ProviderAnswer>;
}

/** Answers a request, as the worker calls it. */
export type CompleteCall<Options = unknown> = (
  request: ProviderCall,
  context: ProviderCallContext<Options>,
) => ProviderAnswer | Promise<ProviderAnswer>;

/**
 * Declares a provider. Export it from a module that `extensions:` of the config names, and use it like a built-in one:
 * as `type:` of an entry of `providers:`, as `provider:` of a model, or in `type:model-name`. It runs in the worker of
 * your modules. Retries, rate limits, budgets, and cassettes work as with any other provider.
 */
export function defineProvider<const Options extends ParamDefinitions = ParamDefinitions>(
  extension: ProviderExtension<Options>,
): CompleteCall<ArgsOf<Options>> {
  const { type, label = type, options = {} } = extension;
  const complete: CompleteCall<ArgsOf<Options>> = (request, context) => extension.complete(request, context);
  return registering(complete, { family: "provider", type, label, options });
}

import type { KindlmError } from "../errors/kindlm-error.js";
import { failure, success } from "../result.js";
import type { Clock } from "../values/clock.js";
import {
  defineProvider,
  type ModelSettings,
  type ProviderAccess,
  type ProviderDefinition,
  type ProviderPorts,
} from "./define-provider.js";
import type { DialectName } from "./dialect-name.js";
import type { CompletionParts, postCompletion, postCount } from "./http/post-completion.js";
import { findPricing } from "./pricing/find-pricing.js";
import { withQuery, type HttpProviderAccess } from "./open-http-provider.js";
import type { ProviderAdapter } from "./provider.js";
import type { EmbeddingFormat, WireFormat } from "./wire-format.js";
import * as z from "../values/deferred-zod.js";

/** Keys that the block of every HTTP provider takes. Secrets are named by their environment variable. */
const httpProviderSettings = {
  base_url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("Address of the API, without a slash at the end"),
  api_key_env: z.string().min(1).optional().describe("Environment variable that holds the API key"),
  headers: z
    .record(z.string(), z.string())
    .optional()
    .describe("Further request headers; they win over the adapter's own"),
};

/** What an HTTP provider is beyond what all of them have in common. */
export interface HttpProviderParts<A extends HttpProviderAccess> {
  type: string;
  label: string;
  summary: string;
  /** Keys of the provider's block in addition to those of every HTTP provider. */
  settings?: z.ZodRawShape;
  /** Keys of a model in addition to the common ones. */
  modelSettings?: z.ZodRawShape;
  /** Reads settings and environment: where the server is, and what lets a request in. */
  open(settings: ModelSettings, env: ProviderPorts["env"]): A;
  /** Address of a cheap GET, such as the list of models; null where the API has none. */
  probeUrl(access: A): string | null;
  /** What a check of the surroundings should know beyond address, keys and probe. */
  describe?(access: A): Partial<ProviderAccess>;
  /** Why no adapter can be made of these settings; null when one can. */
  findProblem?(access: A, settings: ModelSettings): KindlmError | null;
  /** The languages of agents that it takes as they are; none when absent. */
  dialects?(access: A, settings: ModelSettings): readonly DialectName[];
  /** See the adapter's. */
  systemFirst?: true;
  /** Loads its language, which no run needs that asks another provider. `dialect`: that of an agent, if it is not its own. */
  loadFormat(access: A, settings: ModelSettings, dialect?: DialectName): Promise<WireFormat>;
  /** Loads its language of embeddings, which few runs need; undefined where it has none. */
  loadEmbedding?(access: A, settings: ModelSettings): Promise<EmbeddingFormat>;
  /** See {@link CompletionParts.sign}; undefined when requests go as they are. */
  createSign?(access: A, clock: Clock): CompletionParts["sign"];
}

/** What asks a provider, and in which language. */
type LoadedLanguage = [{ postCompletion: typeof postCompletion; postCount: typeof postCount }, CompletionParts];

/** A member of the provider family that sends JSON over HTTP. */
export function defineHttpProvider<A extends HttpProviderAccess>(parts: HttpProviderParts<A>): ProviderDefinition {
  const { type, label, summary } = parts;
  return defineProvider({
    type,
    label,
    summary,
    settings: { ...httpProviderSettings, ...parts.settings },
    modelSettings: { ...parts.modelSettings },
    documents: {},
    isDeterministic: () => false,
    embeds: parts.loadEmbedding !== undefined,
    inspect(settings, env) {
      const access = parts.open(settings, env);
      const { baseUrl, query, keys, apiKey, isKeyMissing, headers } = access;
      const url = parts.probeUrl(access);
      const probe = url === null ? null : { url: withQuery(url, query), headers };
      return { baseUrl, keys, isKeyNeeded: isKeyMissing || apiKey !== null, probe, ...parts.describe?.(access) };
    },
    create(settings, ports) {
      const access = parts.open(settings, ports.env);
      const problem = parts.findProblem?.(access, settings) ?? null;
      if (problem !== null) return failure(problem);
      const sign = parts.createSign?.(access, ports.clock);
      const load = oncePerKey(async (dialect: DialectName | undefined): Promise<LoadedLanguage> => {
        const [posts, format] = await Promise.all([
          import("./http/post-completion.js"),
          parts.loadFormat(access, settings, dialect),
        ]);
        return [posts, { access, sign, format: access.query === "" ? format : asking(format, access.query) }];
      });
      const adapter: ProviderAdapter = {
        dialects: parts.dialects?.(access, settings) ?? [],
        systemFirst: parts.systemFirst === true,
        complete(request, options) {
          const loaded = load(request.native?.dialect);
          const post = ([posts, language]: LoadedLanguage) => posts.postCompletion(language, request, ports, options);
          return loaded instanceof Promise ? loaded.then(post) : post(loaded);
        },
        async count(request, options) {
          const [posts, language] = await load(request.native.dialect);
          return posts.postCount(language, request, ports, options);
        },
      };
      const { loadEmbedding } = parts;
      if (loadEmbedding !== undefined) {
        adapter.embed = async (request, options) => {
          const [{ postEmbedding }, language] = await Promise.all([
            import("./http/post-embedding.js"),
            loadEmbedding(access, settings),
          ]);
          const embedded = await postEmbedding(access, language, request, ports, options);
          const { native } = request;
          if (!embedded.success || native === undefined || native.model === settings.model) return embedded;
          return success({ ...embedded.data, pricing: findPricing(type, native.model) });
        };
      }
      return success(adapter);
    },
  });
}

/** What is there already is handed out as it is. */
function oncePerKey<Key, Value>(make: (key: Key) => Promise<Value>): (key: Key) => Promise<Value> | Value {
  const made = new Map<Key, Promise<Value> | Value>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const making = make(key).then((value) => {
      made.set(key, value);
      return value;
    });
    made.set(key, making);
    return making;
  };
}

/** The format with a query on each of its addresses. */
function asking(format: WireFormat, query: string): WireFormat {
  return {
    ...format,
    ...(format.countUrl === undefined ? {} : { countUrl: withQuery(format.countUrl, query) }),
    toRequest(request) {
      const plain = format.toRequest(request);
      return { ...plain, url: withQuery(plain.url, query) };
    },
  };
}

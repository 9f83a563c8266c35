import type { ResolvedConfig, ResolvedTest } from "../config/resolved-config.js";
import type { ResolvedModel } from "../config/resolved-model.js";
import type { ProviderAccess } from "../providers/define-provider.js";
import { providerNameOf, type ProviderIdentity } from "../providers/http/provider-identity.js";

/** One server as the config uses it, with the models that are asked for there. */
export interface Endpoint {
  /** As people know it, such as `OpenAI (https://api.openai.com/v1)`. */
  title: string;
  identity: ProviderIdentity;
  /** Null when nothing is sent over a network. */
  access: ProviderAccess | null;
  models: readonly [ResolvedModel, ...ResolvedModel[]];
}

/** The models that some test uses, and their fallbacks, each once, in the order of the config. */
export function modelsInUse(config: Pick<ResolvedConfig, "suites">): readonly ResolvedModel[] {
  const models = new Set<ResolvedModel>();
  for (const suite of config.suites) {
    if (suite.status !== "ready") continue;
    for (const model of suite.tests.flatMap(modelsOf)) models.add(model);
  }
  return [...models];
}

/** A model that plays a user, judges or makes vectors needs no permission for its fallbacks. */
function modelsOf({ models, simulatedUser, judges, embedders }: ResolvedTest): readonly ResolvedModel[] {
  const tested = models.flatMap((model) => (model.allowsFallback ? [model, ...model.fallback] : [model]));
  const helpers = simulatedUser === null ? [] : [simulatedUser.model];
  for (const { model } of [...judges.values(), ...embedders.values()]) helpers.push(model);
  return [...tested, ...helpers.flatMap((model) => [model, ...model.fallback])];
}

/** The servers that the models need: one for each provider of the config and address. */
export function collectEndpoints(models: readonly ResolvedModel[], env: ResolvedConfig["env"]): readonly Endpoint[] {
  const found = new Map<string, Omit<Endpoint, "models"> & { models: [ResolvedModel, ...ResolvedModel[]] }>();
  for (const model of models) {
    const { definition, settings } = model;
    const access = definition.inspect(settings, env);
    const key = JSON.stringify([settings.providerName, access?.baseUrl, access?.probe?.url]);
    const known = found.get(key);
    if (known !== undefined) {
      known.models.push(model);
      continue;
    }
    const name = providerNameOf(definition, settings.providerName);
    const identity = { name, model: settings.model, apiKeyEnv: access?.keys[0]?.env ?? null };
    const title = access === null ? name : `${name} (${shownUrl(access.baseUrl)})`;
    found.set(key, { title, identity, access, models: [model] });
  }
  return [...found.values()];
}

/** Without the parts of an address that may hold a secret: user, password and query. */
export function shownUrl(url: string): string {
  if (!URL.canParse(url)) return url;
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`.replace(/\/$/, "");
}

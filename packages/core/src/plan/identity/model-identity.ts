import type { ResolvedModel } from "../../config/resolved-model.js";
import type { ModelSettings } from "../../providers/define-provider.js";
import { isRecord } from "../../values/json.js";
import type { PlannedModel } from "../run-plan.js";
import { hashOnce } from "./content-hash.js";
import { ignored, ofAgent, partOf, type Fields } from "../../config/settings/field-parts.js";
import type { IdentityView } from "./identity-view.js";

/** Keys of a provider's block and of its models that let a request in, or are seen in the address that is asked. */
const ignoredSettings: ReadonlySet<string> = new Set(["api_key_env", "profile", "base_url"]);

/** What distinguishes two models, however calls to them are made. */
export interface ModelIdentity {
  ofModel(model: ResolvedModel): string;
  ofPlanned(planned: PlannedModel): unknown;
  /** The same apart: what asks the model, and the documents that it plays from, such as a script. */
  partsOf(model: ResolvedModel): { asked: unknown; documents: unknown };
}

export function createModelIdentity(
  view: IdentityView,
  env: Readonly<Record<string, string | undefined>>,
): ModelIdentity {
  const keep = (settings: Readonly<Record<string, unknown>>, without: ReadonlySet<string>): unknown =>
    view.withoutSecrets(Object.fromEntries(Object.entries(settings).filter(([key]) => !without.has(key))));
  const settings: Fields<ModelSettings> = {
    id: ignored,
    providerName: ignored,
    model: ofAgent,
    provider: { agent: (provider) => keep(provider, ignoredSettings) },
    // Of what is a document, its content counts and not its name.
    own: { agent: (own, { documents }) => keep(own, new Set([...ignoredSettings, ...Object.keys(documents)])) },
    documents: ofAgent,
  };
  const fields: Fields<ResolvedModel> = {
    id: ignored,
    definition: { agent: ({ type, file }) => (file === undefined ? type : [type, view.contentsOf([file])]) },
    settings: {
      agent(own, { definition }) {
        const access = definition.inspect(own, env);
        return { ...partOf(own, settings, "agent"), address: access === null ? null : view.addressOf(access.baseUrl) };
      },
    },
    // Those of a case are joined with the params of its test.
    params: ignored,
    retry: ignored,
    circuitBreaker: ignored,
    // A case knows the ones that may answer in it.
    fallback: ignored,
    allowsFallback: ignored,
    rateLimits: ignored,
    stream: ignored,
    timeouts: ignored,
    pricing: ofAgent,
    deterministic: ignored,
  };
  const ofModel = hashOnce((model: ResolvedModel) => partOf(model, fields, "agent"));
  const planned: Fields<PlannedModel> = { model: { agent: ofModel }, params: ofAgent, timeouts: ignored };
  return {
    ofModel,
    ofPlanned: (one) => partOf(one, planned, "agent"),
    partsOf(model) {
      const { settings: own, ...asked } = partOf(model, fields, "agent");
      const { documents, ...others } = isRecord(own) ? own : {};
      return { asked: { ...asked, ...others }, documents };
    },
  };
}

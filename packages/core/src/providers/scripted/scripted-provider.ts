import { success } from "../../result.js";
import { defineProvider } from "../define-provider.js";
import { providerNameOf } from "../http/provider-identity.js";
import { createScriptedAdapter } from "./scripted-adapter.js";
import { scriptSchema, type Script } from "./script-schema.js";

const type = "scripted";
const label = "Scripted model";

/** A deterministic replacement for a model, written in YAML. It needs no key and no network. */
export const scriptedProvider = defineProvider({
  type,
  label,
  summary: "A script in place of a model: repeatable, offline, free",
  settings: {},
  modelSettings: {},
  documents: { script: scriptSchema },
  modelOptional: true,
  isDeterministic: (settings) => !scriptOf(settings.documents).rules.some((rule) => rule.choose !== undefined),
  embeds: true,
  inspect: () => null,
  create(settings, ports) {
    const model = settings.model === "" ? settings.id : settings.model;
    const identity = { name: providerNameOf({ type, label }, settings.providerName), model, apiKeyEnv: null };
    return success(createScriptedAdapter(scriptOf(settings.documents), identity, ports.clock));
  },
});

/** A model without a script answers every request with the error that no rule matches. */
function scriptOf(documents: Readonly<Record<string, unknown>>): Script {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the config has parsed it by the schema above
  const script = documents["script"] as Script | undefined;
  return script ?? { rules: [] };
}

import { success } from "../../result.js";
import { defineProvider } from "../define-provider.js";
import { providerNameOf } from "../http/provider-identity.js";
import { createScriptedAdapter } from "./scripted-adapter.js";
import { scriptSchema, type Script } from "./script-schema.js";

const type = "scripted";
const label = "Scripted model";

/** A deterministic stand-in for a model, written in YAML. It needs no key and no network. */
export const scriptedProvider = defineProvider({
  type,
  label,
  summary: "A script in place of a model: repeatable, offline, free",
  settings: {},
  modelSettings: {},
  documents: { script: scriptSchema },
  modelOptional: true,
  isDeterministic: (settings) => !scriptOf(settings.documents).rules.some((rule) => rule.choose !== undefined),
  create(settings, ports) {
    const model = settings.model === "" ? settings.id : settings.model;
    const identity = { name: providerNameOf({ type, label }, settings.providerName), model, apiKeyEnv: null };
    return success(createScriptedAdapter(scriptOf(settings.documents), identity, ports.clock));
  },
});

/** The document has been parsed by the schema above; a model without one answers nothing but the error for it. */
function scriptOf(documents: Readonly<Record<string, unknown>>): Script {
  const script = documents["script"] as Script | undefined;
  return script ?? { rules: [] };
}

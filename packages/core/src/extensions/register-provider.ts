import { defineProvider, type ProviderDefinition } from "../providers/define-provider.js";
import { providerNameOf } from "../providers/http/provider-identity.js";
import { findProvider } from "../providers/registry.js";
import { failure, success, type Result } from "../result.js";
import type { FoundExtension } from "./extension-action.js";
import { nameProblem, optionsShape } from "./options-schema.js";

/**
 * The provider that an export of a module declares. Its requests take the way of any other, to the module in place of a
 * server. Fails with what is wrong with the declaration.
 *
 * @param taken - the keys that every entry of `providers:` has
 */
export function registerProvider(
  file: string,
  { exportName, declared }: FoundExtension,
  taken: ReadonlySet<string>,
): Result<ProviderDefinition, string> {
  const type = String(declared["type"]);
  const problem = nameProblem("type", declared["type"]);
  if (problem !== null) return failure(problem);
  if (findProvider(type) !== null) return failure(`"${type}" is the name of a built-in provider`);
  const shape = optionsShape(declared["options"], taken, "provider");
  if (!shape.success) return shape;
  const label = typeof declared["label"] === "string" ? declared["label"] : type;
  return success(
    defineProvider({
      type,
      label,
      summary: `A provider of ${file}`,
      settings: shape.data,
      modelSettings: {},
      documents: {},
      file,
      isDeterministic: () => false,
      inspect: () => null,
      create(settings, ports) {
        const { model, provider: options, providerName } = settings;
        const identity = {
          name: providerNameOf({ type, label }, providerName),
          model,
          apiKeyEnv: null,
          isModule: true,
        } as const;
        return success({
          async complete(request, sending) {
            const { completeInModule } = await import("./complete-in-module.js");
            return completeInModule({ file, exportName, identity, options }, request, ports, sending);
          },
        });
      },
    }),
  );
}

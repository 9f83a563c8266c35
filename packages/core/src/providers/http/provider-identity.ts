/** Who answers, as error messages name it. */
export interface ProviderIdentity {
  /** The provider's label, such as `OpenAI`; the name in the config for a server that is not the official one. */
  name: string;
  /** The model that was asked for. */
  model: string;
  /** Environment variable that names the key; null when none is configured. */
  apiKeyEnv: string | null;
  /** A module of the user's answers, which finds its key itself. */
  isModule?: true;
}

/** The official provider is called by its label; any other server of its kind by its name in the config. */
export function providerNameOf(definition: { type: string; label: string }, providerName: string): string {
  return providerName === definition.type ? definition.label : providerName;
}

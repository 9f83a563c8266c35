/** A config with one scripted model named `m`, whose rules and suites are given as YAML. */
export function scriptedConfig({
  rules = "[]",
  otherwise = "{ text: hello }",
  suites,
  more = "",
}: ScriptedConfig): string {
  return `version: 1
models:
  - { id: m, provider: scripted, script: { rules: ${rules}, otherwise: ${otherwise} } }
${more}
suites:
${suites}
`;
}

export interface ScriptedConfig {
  /** YAML flow list. */
  rules?: string;
  /** YAML flow mapping. */
  otherwise?: string;
  /** Block list, indented by two. */
  suites: string;
  /** Further top-level keys. */
  more?: string;
}

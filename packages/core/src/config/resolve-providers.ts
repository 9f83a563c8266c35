import type { ProviderDefinition } from "../providers/define-provider.js";
import { findProvider, knownProviderNames } from "../providers/registry.js";
import { useInstead } from "../values/foreign-words.js";
import { isRecord } from "../values/json.js";
import { didYouMean } from "../values/nearest-name.js";
import { preview } from "../values/preview.js";
import { expandEnv, reportMissing } from "./expand-env.js";
import type { Env } from "./load-env-files.js";
import { callOf } from "./call-settings.js";
import { callKeys, type WrittenCall } from "./schema/call-schema.js";
import { providerSchemaOf } from "./schema/provider-schema.js";
import { Findings } from "./source/finding.js";
import { looksLikeSecret } from "./source/secret-literals.js";
import { parseSection, report, subsection, type Problem, type Section } from "./source/section.js";
import type { Path } from "./source/written.js";

/** An entry of `providers:`, or a known provider that has none. */
export interface ResolvedProvider {
  name: string;
  definition: ProviderDefinition;
  settings: Readonly<Record<string, unknown>>;
  /** How calls to its models are made, where they do not say so themselves. */
  call: WrittenCall;
  /** Where it is written. */
  section: Section;
}

/** A provider with everything that was found in its entry. */
export interface FoundProvider {
  /** Null for a broken entry. */
  provider: ResolvedProvider | null;
  findings: Findings;
}

export interface ProviderCatalog {
  /** Undefined when there is no such provider. */
  find(name: string): FoundProvider | undefined;
  /** What was found in the entries, each on its own: a broken one concerns those alone who use it. */
  findings: readonly Findings[];
  names: readonly string[];
  /** Environment variables that the entries name, because of what they hold to be kept out of every output. */
  secretNames: readonly string[];
}

/** Reads `providers:`. `section` is the entry's mapping, its value undefined when the config has none. */
export function resolveProviders(section: Section, env: Env): ProviderCatalog {
  const written = isRecord(section.value) ? section.value : {};
  const secretNames = new Set<string>();
  const resolved = new Map<string, FoundProvider>();
  for (const [name, block] of Object.entries(written)) {
    const findings = new Findings();
    const entry = { ...subsection(section, [name], block), findings };
    reportSecrets(entry);
    resolved.set(name, { provider: resolveProvider(name, entry, env, secretNames), findings });
  }
  const ofEntries = [...resolved.values()].map(({ findings }) => findings);
  const find = (name: string): FoundProvider | undefined => {
    const found = resolved.get(name);
    if (found !== undefined) return found;
    const definition = definitionOf(name, section);
    if (definition === null) return undefined;
    const provider: ResolvedProvider = { name, definition, settings: {}, call: {}, section };
    const findings = new Findings();
    const defaults = parseSection({ ...section, value: {}, findings }, providerSchemaOf(definition));
    if (defaults.success) provider.settings = settingsOf(defaults.data);
    const entry: FoundProvider = { provider, findings };
    resolved.set(name, entry);
    return entry;
  };
  return {
    find,
    findings: ofEntries,
    names: [...new Set([...Object.keys(written), ...namesIn(section)])],
    get secretNames() {
      return [...secretNames];
    },
  };
}

function resolveProvider(name: string, section: Section, env: Env, secretNames: Set<string>): ResolvedProvider | null {
  const { value } = section;
  if (!isRecord(value)) {
    report(section, { path: [], message: `The provider "${name}" must be an object` });
    return null;
  }
  const type = value["type"] ?? name;
  const definition = typeof type === "string" ? definitionOf(type, section) : null;
  if (definition === null) {
    const isNamed = value["type"] !== undefined;
    report(section, {
      ...unknownProvider(typeof type === "string" ? type : preview(type), namesIn(section)),
      ...(isNamed ? { path: ["type"] } : { path: [], hint: `Add the API it speaks, such as type: openai` }),
    });
    return null;
  }
  const expanded = expandEnv(value, env);
  reportMissing(section, [], expanded);
  for (const used of expanded.read) secretNames.add(used.name);
  const keyName = value["api_key_env"];
  if (typeof keyName === "string") secretNames.add(keyName);
  if (expanded.missing.length > 0) return null;
  const parsed = parseSection({ ...section, value: expanded.value }, providerSchemaOf(definition));
  if (!parsed.success) return null;
  return { name, definition, settings: settingsOf(parsed.data), call: callOf(parsed.data), section };
}

function definitionOf(type: string, { registered }: Section): ProviderDefinition | null {
  return findProvider(type) ?? registered?.providers.get(type) ?? null;
}

function namesIn({ registered }: Section): readonly string[] {
  return [...knownProviderNames, ...(registered?.providers.keys() ?? [])];
}

function settingsOf(parsed: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(parsed).filter(
      ([key, value]) => key !== "type" && !Object.hasOwn(callKeys, key) && value !== undefined,
    ),
  );
}

/** The words for a provider that does not exist. */
export function unknownProvider(name: string, known: readonly string[]): Problem {
  return {
    code: "PROVIDER_NOT_FOUND",
    path: [],
    message: `Unknown provider "${name}"`,
    hint:
      useInstead("provider", name) ?? compatible(name) ?? didYouMean(name, known) ?? `Available: ${known.join(", ")}`,
    subject: name,
    known,
  };
}

/** Services that speak the API of OpenAI. */
const alikeOpenai = new Set(
  "openrouter groq together togetherai deepseek fireworks litellm vllm lmstudio localai xai".split(" "),
);

function compatible(name: string): string | undefined {
  if (!alikeOpenai.has(name.toLowerCase().replaceAll(/[-_\s]/g, ""))) return undefined;
  return `Add it under providers: ${name}: { type: openai, base_url: …, api_key_env: … }`;
}

/** A key in the file would be committed with it. */
export function reportSecrets(section: Section): void {
  const visit = (node: unknown, path: Path): void => {
    if (typeof node === "string" && looksLikeSecret(node)) {
      report(section, {
        path,
        message: `${path.length > 0 ? `"${path.at(-1)}"` : "The value"} looks like a secret; secrets do not belong in a config`,
        hint: "Put it in an environment variable or .env, and name that: api_key_env: NAME, or ${NAME} in a header",
      });
    } else if (Array.isArray(node)) {
      node.forEach((item, index) => visit(item, [...path, index]));
    } else if (isRecord(node)) {
      for (const [key, item] of Object.entries(node)) visit(item, [...path, key]);
    }
  };
  visit(section.value, []);
}

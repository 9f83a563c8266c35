import type { ModelSettings, ProviderDefinition } from "../providers/define-provider.js";
import { findPricing } from "../providers/pricing/find-pricing.js";
import type { RequestTimeouts } from "../providers/provider.js";
import { isRecord } from "../values/json.js";
import { didYouMean } from "../values/nearest-name.js";
import { callOf, resolveCall, type CallLevel } from "./call-settings.js";
import { readYamlReference, type FileAccess } from "./file-references.js";
import { createFallbackLinker } from "./link-fallbacks.js";
import { mapInSequence } from "./map-in-sequence.js";
import type { ResolvedModel } from "./resolved-config.js";
import { reportSecrets, unknownProvider, type ProviderCatalog, type ResolvedProvider } from "./resolve-providers.js";
import type { WrittenCall } from "./schema/call-schema.js";
import { modelKeys, modelSchemaOf } from "./schema/provider-schema.js";
import { parseSection, report, subsection, type Problem, type Section } from "./source/section.js";
import { paramsOf, timeoutsOf } from "./written-settings.js";

export interface ModelCatalog {
  /** In the order of the config. */
  declared: readonly ResolvedModel[];
  /** The model of this id, or of a `provider:model` name. A problem when there is none; null when it is broken. */
  find(name: string): { model: ResolvedModel | null } | { problem: Problem };
  /** Warns of fallbacks that nothing looks at: those who play users or judge need no permission for theirs. */
  reportIdleFallbacks(helpers: ReadonlySet<ResolvedModel>): void;
}

/** What the top level of the config says for all its models. */
export interface ModelDefaults {
  call: CallLevel;
  timeouts: Partial<RequestTimeouts>;
}

/** Reads `models:`. What is wrong with an entry is reported. */
export async function resolveModels(
  section: Section,
  providers: ProviderCatalog,
  defaults: ModelDefaults,
  access: FileAccess,
): Promise<ModelCatalog> {
  const resolved = new Map<string, ResolvedModel | null>();
  const written: readonly unknown[] = Array.isArray(section.value) ? section.value : [];
  const declared: ResolvedModel[] = [];
  const linkable: (() => void)[] = [];
  const catalog: ModelCatalog = {
    declared,
    find: (name) => {
      const known = resolved.get(name);
      if (known !== undefined) return { model: known };
      const found = fromShorthand(name, providers, defaults);
      if (found === null) return { problem: unknownModel(name, [...resolved.keys()]) };
      if ("problem" in found) return found;
      resolved.set(name, found.assembled?.model ?? null);
      if (found.assembled === null) return { model: null };
      link(found.assembled);
      return { model: found.assembled.model };
    },
    reportIdleFallbacks: (helpers) => linker.reportIdle(helpers),
  };
  const linker = createFallbackLinker(catalog);
  const link = ({ model, chain, levels }: AssembledModel): void => {
    chain.push(...linker.chainFor(model, levels));
  };
  await mapInSequence(written, async (entry, index) => {
    const part = subsection(section, [index], entry);
    reportSecrets(part);
    const id = isRecord(entry) && typeof entry["id"] === "string" ? entry["id"] : null;
    if (id !== null && resolved.has(id)) {
      report(part, {
        path: ["id"],
        message: `There is already a model "${id}"`,
        hint: "Give each model an id of its own",
      });
      return;
    }
    const assembled = await resolveModel(part, providers, defaults, access);
    if (id !== null) resolved.set(id, assembled?.model ?? null);
    if (assembled === null) return;
    declared.push(assembled.model);
    linkable.push(() => link(assembled));
  });
  for (const linkOne of linkable) linkOne();
  return catalog;
}

function unknownModel(name: string, known: readonly string[]): Problem {
  const listed =
    known.length > 0 ? `There are: ${known.join(", ")}` : "Declare it under models, or write provider:model";
  return { path: [], message: `Unknown model "${name}"`, hint: didYouMean(name, known) ?? listed };
}

/** `openai:gpt-4.1-mini`; null when the name has not that form. */
function fromShorthand(
  name: string,
  providers: ProviderCatalog,
  defaults: ModelDefaults,
): { assembled: AssembledModel | null } | { problem: Problem } | null {
  const colon = name.indexOf(":");
  if (colon < 1 || colon === name.length - 1) return null;
  const providerName = name.slice(0, colon);
  const provider = providers.find(providerName);
  if (provider === undefined) return { problem: unknownProvider(providerName, providers.names) };
  if (provider === null) return { assembled: null };
  if (Object.keys(provider.definition.documents).length > 0) {
    return { problem: { path: [], message: `A model of "${providerName}" has to be declared under models` } };
  }
  const model = name.slice(colon + 1);
  const own: CallLevel = { call: {}, section: defaults.call.section };
  return { assembled: assemble({ id: name, model, own: {}, documents: {} }, provider, { written: {}, own, defaults }) };
}

async function resolveModel(
  section: Section,
  providers: ProviderCatalog,
  defaults: ModelDefaults,
  access: FileAccess,
): Promise<AssembledModel | null> {
  const { value } = section;
  if (!isRecord(value)) {
    report(section, {
      path: [],
      message: "A model must be a mapping",
      hint: "Write { id: gpt, provider: openai, model: gpt-4.1-mini }",
    });
    return null;
  }
  const providerName = value["provider"];
  if (typeof providerName !== "string") {
    report(section, {
      path: ["provider"],
      message: '"provider" is missing; expected a text',
      hint: `There are: ${providers.names.join(", ")}`,
    });
    return null;
  }
  const provider = providers.find(providerName);
  if (provider === undefined) {
    report(section, { ...unknownProvider(providerName, providers.names), path: ["provider"] });
    return null;
  }
  if (provider === null) return null;
  const { definition } = provider;
  const parsed = parseSection(section, modelSchemaOf(definition));
  if (!parsed.success) return null;
  const entries: [string, unknown][] = Object.entries(parsed.data);
  const own = Object.fromEntries(
    entries.filter(([key, item]) => key !== "model" && !Object.hasOwn(modelKeys, key) && item !== undefined),
  );
  const documents = await loadDocuments(section, definition, own, access);
  if (documents === null) return null;
  const { id, model = id } = parsed.data;
  const ownCall: CallLevel = { call: callOf(parsed.data), section };
  return assemble({ id, model, own, documents }, provider, { written: parsed.data, own: ownCall, defaults });
}

async function loadDocuments(
  section: Section,
  definition: ProviderDefinition,
  own: Readonly<Record<string, unknown>>,
  access: FileAccess,
): Promise<Readonly<Record<string, unknown>> | null> {
  const keys = Object.entries(definition.documents).filter(([key]) => own[key] !== undefined);
  const loaded = await mapInSequence(keys, async ([key, schema]) => {
    const part = await documentAt(section, key, own[key], access);
    const parsed = part === null ? null : parseSection(part, schema);
    return parsed?.success === true ? ([key, parsed.data] as const) : null;
  });
  const read = loaded.filter((entry) => entry !== null);
  return read.length < loaded.length ? null : Object.fromEntries(read);
}

/** The document that a key names, or holds. */
async function documentAt(
  section: Section,
  key: string,
  written: unknown,
  access: FileAccess,
): Promise<Section | null> {
  if (typeof written !== "string") return subsection(section, [key], written);
  const read = await readYamlReference({ section, path: [key], written }, access);
  if (read.success) return { document: read.data, base: [], value: read.data.value, findings: section.findings };
  section.findings.add(...read.error);
  return null;
}

interface WrittenModel extends WrittenCall {
  params?: object | undefined;
  timeouts?: Record<string, number | undefined> | undefined;
  pricing?: { input: number; output: number; cached_input?: number | undefined } | undefined;
}

/** A model whose fallbacks are still to be found. */
interface AssembledModel {
  model: ResolvedModel;
  /** The model's own list of fallbacks, to be filled. */
  chain: ResolvedModel[];
  levels: readonly CallLevel[];
}

function assemble(
  parts: Pick<ModelSettings, "id" | "model" | "own" | "documents">,
  provider: ResolvedProvider,
  { written, own, defaults }: { written: WrittenModel; own: CallLevel; defaults: ModelDefaults },
): AssembledModel {
  const { definition } = provider;
  const settings: ModelSettings = { ...parts, providerName: provider.name, provider: provider.settings };
  const chain: ResolvedModel[] = [];
  const model: ResolvedModel = {
    id: parts.id,
    definition,
    settings,
    params: paramsOf(written.params),
    ...resolveCall(own.call, provider.call, defaults.call.call),
    fallback: chain,
    timeouts: { ...defaults.timeouts, ...timeoutsOf(written.timeouts) },
    pricing: pricingOf(written.pricing) ?? findPricing(definition.type, parts.model),
    deterministic: definition.isDeterministic(settings),
  };
  return { model, chain, levels: [own, provider, defaults.call] };
}

function pricingOf(written: WrittenModel["pricing"]): ResolvedModel["pricing"] {
  if (written === undefined) return null;
  const { input, output, cached_input: cachedInput } = written;
  return cachedInput === undefined ? { input, output } : { input, output, cachedInput };
}

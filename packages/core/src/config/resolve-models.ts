import type { ModelSettings, ProviderDefinition } from "../providers/define-provider.js";
import { findPricing } from "../providers/pricing/find-pricing.js";
import type { RequestTimeouts } from "../providers/http/transport.js";
import { isRecord } from "../values/json.js";
import { didYouMean } from "../values/nearest-name.js";
import { callOf, resolveCall, type CallLevel } from "./call-settings.js";
import { readYamlReference, type FileAccess } from "./file-references.js";
import { createFallbackLinker } from "./link-fallbacks.js";
import { mapInSequence } from "./map-in-sequence.js";
import type { ResolvedModel } from "./resolved-model.js";
import { reportSecrets, unknownProvider, type ProviderCatalog, type ResolvedProvider } from "./resolve-providers.js";
import type { WrittenCall } from "./schema/call-schema.js";
import { modelKeys, modelSchemaOf } from "./schema/provider-schema.js";
import { Findings } from "./source/finding.js";
import { parseSection, report, subsection, type Problem, type Section } from "./source/section.js";
import { paramsOf, timeoutsOf } from "./written-settings.js";
import type { FoundModel, ModelCatalog } from "./model-catalog.js";

/** What the top level of the config says for all its models. */
export interface ModelDefaults {
  call: CallLevel;
  timeouts: Partial<RequestTimeouts>;
}

/** A model as far as it could be read. */
interface Entry {
  assembled: AssembledModel | null;
  /** Those of the entry and of its provider. */
  findings: readonly Findings[];
}

/** Reads `models:`. What is wrong with an entry is in its own findings. */
export async function resolveModels(
  section: Section,
  providers: ProviderCatalog,
  defaults: ModelDefaults,
  access: FileAccess,
): Promise<ModelCatalog> {
  const known = new Map<string, Entry>();
  const written: readonly unknown[] = Array.isArray(section.value) ? section.value : [];
  const entries: { id: string | null; entry: Entry }[] = [];
  const ofEntries: Findings[] = [];
  const catalog: ModelCatalog = {
    get declared() {
      return entries.map(({ id, entry }) => ({ id, found: foundIn(entry) }));
    },
    findings: ofEntries,
    find: (name) => {
      const entry = known.get(name);
      if (entry !== undefined) return foundIn(entry);
      const short = fromShorthand(name, providers, defaults);
      if (short === null) return { problem: unknownModel(name, [...known.keys()]) };
      if ("problem" in short) return short;
      known.set(name, short);
      link(short);
      return foundIn(short);
    },
    reportIdleFallbacks: (helpers) => linker.reportIdle(helpers),
  };
  const linker = createFallbackLinker(catalog);
  const link = ({ assembled }: Entry): void => {
    if (assembled !== null) assembled.chain.push(...linker.chainFor(assembled.model, assembled.levels));
  };
  await mapInSequence(written, async (value, index) => {
    const findings = new Findings();
    ofEntries.push(findings);
    const part = { ...subsection(section, [index], value), findings };
    reportSecrets(part);
    const id = isRecord(value) && typeof value["id"] === "string" ? value["id"] : null;
    const earlier = id === null ? undefined : entries.find((one) => one.id === id);
    if (earlier !== undefined) {
      const message = `The model ID "${id}" is already used`;
      report(part, { path: ["id"], message, hint: "Give each model a unique id" });
      // Which of the two a test means is not known.
      earlier.entry.findings = [...earlier.entry.findings, findings];
      return;
    }
    const entry = await resolveModel(part, providers, defaults, access);
    entries.push({ id, entry });
    if (id !== null) known.set(id, entry);
  });
  for (const { entry } of entries) link(entry);
  return catalog;
}

function foundIn({ assembled, findings }: Entry): FoundModel {
  const broken = findings.flatMap(({ errors }) => errors);
  return assembled === null || broken.length > 0 ? { broken } : { model: assembled.model };
}

function unknownModel(name: string, known: readonly string[]): Problem {
  const listed =
    known.length > 0 ? `Available: ${known.join(", ")}` : "Declare it under models, or write provider:model";
  return { path: [], message: `Unknown model "${name}"`, hint: didYouMean(name, known) ?? listed };
}

/** `openai:gpt-4.1-mini`; null when the name has not that form. */
function fromShorthand(
  name: string,
  providers: ProviderCatalog,
  defaults: ModelDefaults,
): Entry | { problem: Problem } | null {
  const colon = name.indexOf(":");
  if (colon < 1 || colon === name.length - 1) return null;
  const providerName = name.slice(0, colon);
  const found = providers.find(providerName);
  if (found === undefined) return { problem: unknownProvider(providerName, providers.names) };
  const { provider, findings } = found;
  if (provider === null) return { assembled: null, findings: [findings] };
  if (Object.keys(provider.definition.documents).length > 0) {
    return { problem: { path: [], message: `A model of "${providerName}" must be declared under models` } };
  }
  const model = name.slice(colon + 1);
  const own: CallLevel = { call: {}, section: defaults.call.section };
  const parts = { id: name, model, own: {}, documents: {} };
  return { assembled: assemble(parts, provider, { written: {}, own, defaults }), findings: [findings] };
}

async function resolveModel(
  section: Section,
  providers: ProviderCatalog,
  defaults: ModelDefaults,
  access: FileAccess,
): Promise<Entry> {
  const { value, findings: ofEntry } = section;
  const broken: Entry = { assembled: null, findings: [ofEntry] };
  if (!isRecord(value)) {
    report(section, {
      path: [],
      message: "A model must be an object",
      hint: "Write { id: gpt, provider: openai, model: gpt-4.1-mini }",
    });
    return broken;
  }
  const providerName = value["provider"];
  if (typeof providerName !== "string") {
    report(section, {
      path: ["provider"],
      message: '"provider" is missing; expected a string',
      hint: `Available: ${providers.names.join(", ")}`,
    });
    return broken;
  }
  const found = providers.find(providerName);
  if (found === undefined) {
    report(section, { ...unknownProvider(providerName, providers.names), path: ["provider"] });
    return broken;
  }
  const findings = [ofEntry, found.findings];
  const { provider } = found;
  if (provider === null) return { assembled: null, findings };
  const { definition } = provider;
  const parsed = parseSection(section, modelSchemaOf(definition));
  if (!parsed.success) return broken;
  const entries: [string, unknown][] = Object.entries(parsed.data);
  const own = Object.fromEntries(
    entries.filter(([key, item]) => key !== "model" && !Object.hasOwn(modelKeys, key) && item !== undefined),
  );
  const documents = await loadDocuments(section, definition, own, access);
  if (documents === null) return broken;
  const { id, model = id } = parsed.data;
  const ownCall: CallLevel = { call: callOf(parsed.data), section };
  const parts = { id, model, own, documents };
  return { assembled: assemble(parts, provider, { written: parsed.data, own: ownCall, defaults }), findings };
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

/** What the keys of a model name or hold, such as its script; null where something of it cannot be used. */
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

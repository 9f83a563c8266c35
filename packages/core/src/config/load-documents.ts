import type { ProviderDefinition } from "../providers/define-provider.js";
import { readYamlReference, type FileAccess } from "./file-references.js";
import { mapInSequence } from "./map-in-sequence.js";
import { parseSection, subsection, type Section } from "./source/section.js";

/** What the keys of a model name or hold, such as its script; null where something of it cannot be used. */
export async function loadDocuments(
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

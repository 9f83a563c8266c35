import { headingOfKind, splitTool } from "./kinds.js";
import { inCode, linkTo, renderPage, renderTable } from "./markdown.js";
import { describeType, isUnnamed, keyRows } from "./schema-words.js";

/**
 * docs/reference/config.md from the config's JSON Schema: a section for each mapping with keys of its own. The same
 * mapping at several places has one section. Faults, tools and targets have a section for each kind.
 */
export function renderConfig(schema, { targetKeys, targetKinds }) {
  const kinds = new Map(targetKeys.map((key, index) => [key, targetKinds[index]]));
  const named = Object.entries(schema.definitions ?? {}).filter(
    ([name]) => !name.startsWith("assertion") && name !== "placeholder" && !isUnnamed(name),
  );
  const sections = new Map([[keyOf(schema), { mapping: schema, heading: inCode("kindlm.yaml") }]]);
  for (const [name, mapping] of named) sections.set(keyOf(mapping), { mapping, heading: inCode(name) });
  collectSections(schema, "", { sections, kinds });
  for (const [name, definition] of named) if (name !== matcher) collectSections(definition, name, { sections, kinds });
  const sectionOf = (mapping) => sections.get(keyOf(mapping))?.heading ?? null;
  return renderPage("Configuration", [
    "Every key of `kindlm.yaml` and of the files it names. Editors read the same from `schemas/kindlm.schema.json`.",
    "Entries of `assert:` are in [assertions](assertions.md).",
    ...[...sections.values()].flatMap((section) => renderSection(section, sectionOf)),
  ]);
}

/** Has a page of its own. */
const matcher = "Matcher";

const keyOf = (schema) => JSON.stringify([schema.properties ?? schema, schema.required]);

function collectSections(schema, path, { sections, kinds }) {
  if (typeof schema !== "object" || schema === null) return;
  if (schema.properties !== undefined && !sections.has(keyOf(schema))) addSections(schema, path, { sections, kinds });
  const inner = (child, name) => collectSections(child, name, { sections, kinds });
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    inner(property, path === "" ? name : `${path}.${name}`);
  }
  for (const option of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]) inner(option, path);
  if (schema.items !== undefined) inner(schema.items, `${path}[]`);
  if (typeof schema.additionalProperties === "object") inner(schema.additionalProperties, `${path}.<name>`);
}

function addSections(mapping, path, { sections, kinds }) {
  const heading = headingOfKind(path, mapping, kinds) ?? inCode(uniqueHeading(path, mapping, sections));
  const split = path === "tools[]" ? splitTool(mapping, kinds) : { shared: mapping.properties, kinds: [] };
  const links = split.kinds.map((kind) => linkTo(kind.heading));
  const note = links.length === 0 ? [] : [`Keys of all tools. Other keys decide the kind: ${links.join(", ")}.`];
  sections.set(keyOf(mapping), { mapping: { ...mapping, properties: split.shared }, heading, note });
  for (const kind of split.kinds) sections.set(keyOf(kind), { mapping: kind, heading: kind.heading });
}

/** Several objects may be meant by one key: they are named by the constant, or the key, that distinguishes them. */
function uniqueHeading(path, { properties, required = [] }, sections) {
  const taken = new Set([...sections.values()].map(({ heading }) => heading));
  const isTaken = (heading) => taken.has(inCode(heading));
  const constant = Object.entries(properties).find(
    ([key, { const: value }]) => required.includes(key) && value !== undefined,
  );
  const named =
    constant === undefined
      ? `${path} with ${required[0] ?? Object.keys(properties)[0]}`
      : `${path}, ${constant[0]}: ${constant[1].const}`;
  if (constant !== undefined) return isTaken(named) ? `${named} (2)` : named;
  let heading = isTaken(path) ? named : path;
  for (let count = 2; isTaken(heading); count += 1) heading = `${path} (${count})`;
  return heading;
}

function renderSection({ mapping, heading, note = [] }, sectionOf) {
  const examples = (mapping.examples ?? []).map((example) => inCode(JSON.stringify(example)));
  const isOpaque = mapping.properties === undefined;
  const table = () => renderTable(["key", "value", "meaning"], keyRows(mapping, sectionOf));
  const value =
    heading === inCode(matcher) ? "anything; see [matchers](../matchers.md)" : describeType(mapping, sectionOf);
  const body = isOpaque ? `Value: ${value}.` : table();
  return [
    `## ${heading}`,
    ...(mapping.description === undefined ? [] : [mapping.description]),
    ...note,
    body,
    ...(examples.length === 0 ? [] : [`Example: ${examples.join(", ")}`]),
  ];
}

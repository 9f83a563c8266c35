import { inCode, renderPage, renderTable } from "./markdown.js";
import { describeType, keyRows } from "./schema-words.js";

/** docs/reference/config.md from the config's JSON Schema: a section for each mapping with keys of its own. */
export function renderConfig(schema) {
  const sections = new Map([[schema, "kindlm.yaml"]]);
  const named = Object.entries(schema.definitions ?? {}).filter(([name]) => !name.startsWith("assertion_"));
  collectSections(schema, "", sections);
  for (const [name, definition] of named) {
    sections.set(definition, name);
    collectSections(definition, name, sections);
  }
  const sectionOf = (mapping) => sections.get(mapping) ?? null;
  const plain = named.filter(([, definition]) => definition.properties === undefined);
  const rendered = [...sections].filter(([mapping]) => mapping.properties !== undefined);
  return renderPage("Configuration", [
    "Every key of `kindlm.yaml` and of the files it names. Editors read the same from `schemas/kindlm.schema.json`.",
    "Entries of `assert:` are in [assertions](assertions.md).",
    ...rendered.flatMap(([mapping, heading]) => renderSection(mapping, heading, sectionOf)),
    ...plain.flatMap(([name, definition]) => renderPlain(name, definition, sectionOf)),
  ]);
}

function collectSections(schema, path, sections) {
  if (typeof schema !== "object" || schema === null) return;
  if (schema.properties !== undefined && !sections.has(schema)) sections.set(schema, uniqueHeading(path, sections));
  const inner = (child, name) => collectSections(child, name, sections);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    inner(property, path === "" ? name : `${path}.${name}`);
  }
  for (const option of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]) inner(option, path);
  if (schema.items !== undefined) inner(schema.items, `${path}[]`);
  if (typeof schema.additionalProperties === "object") inner(schema.additionalProperties, `${path}.<name>`);
}

/** Several mappings may be meant by one key; the second is its `(2)`. */
function uniqueHeading(path, sections) {
  const taken = new Set(sections.values());
  let heading = path;
  for (let count = 2; taken.has(heading); count += 1) heading = `${path} (${count})`;
  return heading;
}

function renderSection(mapping, heading, sectionOf) {
  const examples = (mapping.examples ?? []).map((example) => inCode(JSON.stringify(example)));
  return [
    `## ${heading}`,
    ...(mapping.description === undefined ? [] : [mapping.description]),
    renderTable(["key", "value", "meaning"], keyRows(mapping, sectionOf)),
    ...(examples.length === 0 ? [] : [`Example: ${examples.join(", ")}`]),
  ];
}

function renderPlain(name, definition, sectionOf) {
  const what = name === "assertion" ? "See [assertions](assertions.md)." : `${describeType(definition, sectionOf)}.`;
  return [`## ${name}`, ...(definition.description === undefined ? [] : [definition.description]), what];
}

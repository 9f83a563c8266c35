import { inCode, renderPage, renderTable } from "./markdown.js";
import { renderFlow } from "./render-flow.js";
import { describeType, keyRows } from "./schema-words.js";

const commonKeys = ["not", "id", "weight", "when", "user_turn"];

/** docs/reference/assertions.md from the definitions of the config's JSON Schema, in the order of the registry. */
export function renderAssertions({ definitions }) {
  const members = definitions.assertion.anyOf.map(({ $ref }) => definitions[$ref.split("/").at(-1)]);
  const types = members.filter(({ properties }) => properties.type !== undefined);
  const groups = members.filter(({ properties }) => properties.type === undefined);
  const [first] = types;
  return renderPage("Assertions", [
    "Entries of `assert:`. A test passes when all of its assertions pass. Any value may be a `{{placeholder}}`.",
    "## Keys of every assertion",
    renderTable(
      ["key", "value", "meaning"],
      keyRows({ properties: Object.fromEntries(commonKeys.map((key) => [key, first.properties[key]])) }),
    ),
    ...types.flatMap(renderType),
    "## Groups",
    renderTable(
      ["group", "members", "passes"],
      groups.map(({ properties, description }) => {
        const own = Object.keys(properties).filter((key) => !commonKeys.includes(key));
        return [own.map(inCode).join(", "), describeType(properties[own.at(-1)]), description];
      }),
    ),
  ]);
}

function renderType(schema) {
  const { type, ...properties } = schema.properties;
  const own = Object.fromEntries(Object.entries(properties).filter(([key]) => !commonKeys.includes(key)));
  const rows = keyRows({ properties: own, required: schema.required });
  const examples = (schema.examples ?? []).map((example) => `- ${renderFlow(example)}`);
  return [
    `## ${type.const}`,
    schema.description,
    ...(rows.length === 0 ? ["No keys of its own."] : [renderTable(["key", "value", "meaning"], rows)]),
    ...(examples.length === 0 ? [] : [`\`\`\`yaml\n${examples.join("\n")}\n\`\`\``]),
  ];
}

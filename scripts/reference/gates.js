import { inCode, renderTable } from "./markdown.js";
import { renderFlow } from "./render-flow.js";

/** The text of docs/gates.md with the table of all gates in it, from the config's JSON Schema. */
export function withGates(page, { properties }) {
  const rows = Object.entries(properties.gates.properties).map(([name, { description, examples }]) => [
    examples.map((example) => inCode(`${name}: ${renderFlow(example)}`)).join(", "),
    description,
  ]);
  const table = renderTable(["gate", "meaning"], rows);
  return page.replace(/(<!-- gates -->\n\n)(?:\|.*\n)*/, (_, mark) => `${mark}${table}\n`);
}

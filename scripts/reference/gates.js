import { inCode, renderTable, withTable } from "./markdown.js";
import { renderFlow } from "./render-flow.js";

/** The text of docs/gates.md with the table of all gates in it, from the config's JSON Schema. */
export function withGates(page, { properties }) {
  const rows = Object.entries(properties.gates.properties).map(([name, { description, examples }]) => [
    examples.map((example) => inCode(`${name}: ${renderFlow(example)}`)).join(", "),
    description,
  ]);
  return withTable(page, "gates", renderTable(["gate", "meaning"], rows));
}

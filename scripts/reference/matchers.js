import { inCode, renderTable, withTable } from "./markdown.js";
import { renderFlow } from "./render-flow.js";

/** The text of docs/matchers.md with the table of all operators and their modifiers in it. */
export function withOperators(page, operators) {
  const rows = Object.entries(operators).flatMap(([name, { summary, example, modifiers = {} }]) => [
    rowOf(`${name}: ${renderFlow(example)}`, summary),
    ...Object.entries(modifiers).map(([modifier, words]) =>
      rowOf(`${name}: ${renderFlow(example)}, ${modifier}: ${renderFlow(words.example)}`, words.summary),
    ),
  ]);
  return withTable(page, "operators", renderTable(["Operator", "Matches"], rows));
}

function rowOf(code, summary) {
  return [inCode(code), summary.replace(/\.$/, "")];
}

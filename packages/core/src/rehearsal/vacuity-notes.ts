import { minimalValue } from "../json-schema/minimal-value.js";
import type { PlannedCase } from "../plan/run-plan.js";
import { plural } from "../values/plural.js";
import { harmlessTools } from "./harmless-tools.js";

/** What the stand-ins could not do as they should in a test. */
export function notesOn(planned: PlannedCase): readonly string[] {
  const rendered = planned.render();
  const tools = rendered.success ? harmlessTools(planned, rendered.data) : rendered;
  if (!tools.success) return [];
  const notes = tools.data
    .filter(
      ({ kind, ...tool }) => kind === "simulated" && "parameters" in tool && minimalValue(tool.parameters) === null,
    )
    .map(({ name }) => `no valid arguments could be generated for ${name}, so no stub agent calls it`);
  const { mcpServers, tools: own } = planned.test;
  const unasked = [
    ...mcpServers.map(({ name }) => name),
    ...own.flatMap((tool) => (tool.kind === "module" && tool.name === null ? [tool.file] : [])),
  ];
  if (unasked.length > 0) {
    const whose = plural(unasked.length, "source");
    notes.push(
      `${whose} of tools (${unasked.join(", ")}) were not queried; stub agents know only the tools that assertions name`,
    );
  }
  return notes;
}

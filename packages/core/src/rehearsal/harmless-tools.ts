import type { ParsedAssertion } from "../assertions/parsed-assertion.js";
import type { PlannedCase, RenderedCase } from "../plan/run-plan.js";
import type { Result } from "../result.js";
import type { SimulatedReply, SimulatedToolConfig, ToolConfig } from "../tools/tool-config.js";
import { findBuiltin } from "../tools/builtin/registry.js";
import { renderTools } from "../tools/registry.js";

/** What a real tool answers that nobody calls. */
const neutral: readonly SimulatedReply[] = [{ delayMs: 0, set: [], answer: { return: {} } }];

const unknownTool = {
  parameters: { type: "object" },
  attributes: { readonly: false, no_effect: false },
  recommendations: {},
  timeoutMs: null,
  responses: [],
  default: neutral,
};

/**
 * The tools of a case with none that does anything: in place of programs, services and modules stand simulated tools,
 * which answer what the config has as their fallback, or an empty object. Tools that are known only once a server or a
 * module is asked are there as far as assertions name them. The error is what is not valid for the row.
 */
export function harmlessTools(
  { test }: PlannedCase,
  { tools, assertions, answerScope }: RenderedCase,
): Result<readonly ToolConfig[], string> {
  const replaced = tools.flatMap(harmless);
  const hidden = test.target !== null || test.mcpServers.length > 0 || replaced.length < tools.length;
  const known = new Set(replaced.map(({ name }) => name));
  const named = hidden ? assertions.flatMap(namedTools).filter((name) => !known.has(name)) : [];
  const others = [...new Set(named)].map((name): SimulatedToolConfig => ({ ...unknownTool, kind: "simulated", name }));
  return renderTools([...replaced, ...others], answerScope);
}

function harmless(tool: ToolConfig): readonly SimulatedToolConfig[] {
  if (tool.kind === "simulated") return [tool];
  if (tool.kind === "builtin") return tool.names.map(harmlessBuiltin);
  if (tool.kind !== "module") {
    const { name, description, parameters, attributes, recommendations, timeoutMs, fallback } = tool;
    const own = { name, parameters, attributes, recommendations, timeoutMs };
    const answers = { responses: fallback?.responses ?? [], default: fallback?.default ?? neutral };
    return [{ kind: "simulated", ...own, ...answers, ...(description === undefined ? {} : { description }) }];
  }
  const { name, overrides } = tool;
  if (name === null) return [];
  const { fallback, ...settings } = overrides;
  const answers = { responses: fallback?.responses ?? [], default: fallback?.default ?? neutral };
  return [{ ...unknownTool, ...settings, ...answers, kind: "simulated", name }];
}

function harmlessBuiltin(name: string): SimulatedToolConfig {
  const { description, parameters } = findBuiltin(name) ?? { parameters: unknownTool.parameters };
  return { ...unknownTool, kind: "simulated", name, parameters, ...(description === undefined ? {} : { description }) };
}

/** Names, not patterns: what a pattern stands for nobody knows. */
function namedTools(assertion: ParsedAssertion): readonly string[] {
  if (assertion.form === "group") return assertion.members.flatMap(namedTools);
  return assertion.references.flatMap((reference) =>
    reference.kind === "tool" && !/[*?]/.test(reference.name) ? [reference.name] : [],
  );
}

import { expect, it } from "vitest";
import { problemsOf } from "../schema-parts/parse-with.js";
import { modelParamsSchema } from "./model-params-schema.js";

it.each([
  {},
  { temperature: 0, top_p: 1, max_tokens: 1, seed: -3, stop: ["a"], reasoning_effort: "high" },
  { tool_choice: "required", parallel_tool_calls: false },
  { tool_choice: { tool: "lookup" }, extra_body: { anything: [{ goes: null }] } },
])("takes %j as it stands", (params) => {
  expect(modelParamsSchema.parse(params)).toEqual(params);
});

it.each([
  [{ temperatur: 0 }, 'Unknown key "temperatur"', 'Did you mean "temperature"?'],
  [{ temperature: 3 }, '"temperature" must be at most 2', undefined],
  [{ max_tokens: 0 }, '"max_tokens" must be at least 1', undefined],
  [{ max_tokens: 1.5 }, '"max_tokens" must be a whole number', undefined],
  [{ tool_choice: { tol: "x" } }, 'Unknown key "tol"', 'Did you mean "tool"?'],
])("refuses %j", (params, message, hint) => {
  const parsed = modelParamsSchema.safeParse(params);
  const [problem] = parsed.success ? [] : problemsOf(parsed.error);
  expect(problem?.message).toContain(message);
  if (hint !== undefined) expect(problem?.hint).toBe(hint);
});

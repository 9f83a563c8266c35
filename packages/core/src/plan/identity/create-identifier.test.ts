import { expect, it } from "vitest";
import { plannedAfter, type Changes, type Surroundings } from "./__fixtures__/identity-project.js";

async function partsAfter(changes: Changes, surroundings: Surroundings = {}) {
  const { cases, identify } = await plannedAfter(changes, surroundings);
  const [first] = cases;
  if (first === undefined) throw new Error("There is no case");
  return identify.agentOf(identify(first).agentHash) ?? {};
}

it.each<[string, Changes, string]>([
  ["the system prompt", { "suites.0.system_prompt": "Be short" }, "prompt"],
  ["the model's name", { "models.0.model": "gpt-next" }, "model"],
  ["params", { "models.0.params": { temperature: 0 } }, "params"],
  ["how a tool is described", { "suites.0.tools.0.description": "Looks it up" }, "tools"],
  ["what is left out of a server", { "suites.0.mcp_servers.0.exclude": ["x"] }, "tools"],
  ["a model that may stand in", { "models.0.fallback": ["other"], "models.0.allow_fallback": true }, "fallback"],
  ["what a tool answers", { "suites.0.tools.0.responses": [{ return: 1 }] }, ""],
])("distinguishes %s from the rest of the agent", async (_name, changes, part) => {
  const [before, after] = [await partsAfter({}), await partsAfter(changes)];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  expect(names.filter((name) => before[name] !== after[name]).join(" ")).toBe(part);
});

it("distinguishes a script from the model that plays it, and knows agents of which it saw a case alone", async () => {
  const scripted = { "defaults.models": ["scripted"] };
  const before = await partsAfter(scripted);
  expect(Object.keys(before).toSorted()).toEqual(["model", "params", "prompt", "script", "tools"]);
  const after = await partsAfter(scripted, { files: { "script.yaml": "otherwise: { text: other }" } });
  expect(after).toEqual({ ...before, script: expect.not.stringMatching(before["script"] ?? "") });
  const { identify } = await plannedAfter({});
  expect(identify.agentOf("0".repeat(16))).toBeNull();
});

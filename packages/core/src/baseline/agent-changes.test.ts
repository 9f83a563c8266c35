import { expect, it } from "vitest";
import { agentChanges, type SeenAgent } from "./agent-changes.js";

const agent = { prompt: "p", model: "m", params: "x" };
const before: SeenAgent = { agentHash: "1", agent, servedBy: "m-1" };

it.each<[string, Partial<SeenAgent>, readonly string[]]>([
  ["nothing", {}, []],
  ["a part", { agentHash: "2", agent: { ...agent, prompt: "q" } }, ["prompt"]],
  [
    "parts in their order, new and gone ones too",
    { agentHash: "2", agent: { tools: "t", model: "n", prompt: "p" } },
    ["model", "params", "tools"],
  ],
  ["a part that nobody has heard of", { agentHash: "2", agent: { ...agent, odd: "o" } }, ["odd"]],
  ["what is not known", { agentHash: "2", agent: null }, ["agent"]],
  ["no known part", { agentHash: "2" }, ["agent"]],
  ["the model behind the same name", { servedBy: "m-2" }, ["model as served: m-2, was m-1"]],
  ["a model that is not known any more", { servedBy: null }, []],
])("names %s", (_name, after, expected) => {
  expect(agentChanges([{ before, after: { ...before, ...after } }])).toEqual(expected);
});

it("names each change once, however many cases it is in", () => {
  const prompt = { before, after: { ...before, agentHash: "2", agent: { ...agent, prompt: "q" } } };
  const params = { before, after: { ...before, agentHash: "3", agent: { ...agent, params: "y" }, servedBy: "m-2" } };
  expect(agentChanges([params, prompt, prompt])).toEqual(["prompt", "params", "model as served: m-2, was m-1"]);
});

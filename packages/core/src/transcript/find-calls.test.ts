import { expect, it } from "vitest";
import { findCalls, mayHoldCalls } from "./find-calls.js";

const names = new Set(["pay"]);

it.each<[string, unknown, readonly string[]]>([
  ["a name with arguments", { steps: [{ name: "x", input: {} }] }, [".steps[0]"]],
  ["a key that says so", { tool_calls: [{}] }, [".tool_calls[0]"]],
  ["a name of an offered tool alone", { next: "pay" }, [".next"]],
  ["no offered tool in a text", { text: "pay" }, []],
  ["no tool in the list that a server repeats", { tools: [{ name: "pay", parameters: {} }] }, []],
  ["the name of an offered tool where that list would be", { tools: "pay" }, [".tools"]],
  ["nothing in the arguments of a call", { name: "x", args: { name: "y", input: {} } }, [""]],
])("finds %s", (_name, value, paths) => {
  expect(findCalls(value, { names }).map(({ path }) => path)).toEqual(paths);
});

it.each<[string, string]>([
  ...["arguments", "args", "input", "tool_input", "toolInput", "action_input", "kwargs"].map(
    (key): [string, string] => [key, JSON.stringify({ name: "x", [key]: {} })],
  ),
  ...["tool_calls", "Function-Call", "server_tool_use", "invalid_tool_call", "customToolInvocations"].map(
    (key): [string, string] => [key, JSON.stringify({ [key]: [{}] })],
  ),
  ...["mcp_call", "dynamic-tool", "FUNCTION_CALL"].map((type): [string, string] => [type, JSON.stringify({ type })]),
  ["an escaped key", String.raw`{ "\u0074\u006fol_calls": [{}] }`],
])("is not kept from finding %s", (_name, json) => {
  expect(findCalls(JSON.parse(json))).not.toEqual([]);
  expect(mayHoldCalls(json, {})).toBe(true);
});

it("need not look through a plain answer if no tool was offered", () => {
  const json = JSON.stringify({ choices: [{ message: { role: "assistant", content: "Hi" } }], usage: { tokens: 1 } });
  expect(mayHoldCalls(json, { names: new Set() })).toBe(false);
  expect(mayHoldCalls(json, { names })).toBe(true);
  expect(mayHoldCalls(json, { isStrict: true })).toBe(true);
});

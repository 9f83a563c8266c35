import { expect, it } from "vitest";
import { findCalls } from "./find-calls.js";

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

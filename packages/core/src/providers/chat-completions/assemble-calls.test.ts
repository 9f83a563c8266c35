import { expect, it } from "vitest";
import { createCallAssembler } from "./assemble-stream.js";

type Delta = Record<string, unknown>;

function delta(index: number | undefined, id: string | null, name: string | null, args?: unknown): Delta {
  return { index, id, type: "function", function: { name, arguments: args } };
}

/** Each call as `id name arguments`. */
function assembled(...deltas: Delta[]): string[] {
  const calls = createCallAssembler();
  for (const piece of deltas) calls.add(piece);
  return calls.finish().map((call) => `${call.id} ${call.function.name} ${call.function.arguments}`);
}

it.each<[string, Delta[], string[]]>([
  [
    "parallel calls whose pieces come in turn",
    [
      delta(0, "a", "look", ""),
      delta(1, "b", "find", ""),
      delta(0, null, null, '{"x"'),
      delta(1, null, null, '{"y":2}'),
      delta(0, null, null, ":1}"),
    ],
    ['a look {"x":1}', 'b find {"y":2}'],
  ],
  [
    "calls in the order of their index",
    [delta(1, "b", "find", "2"), delta(0, "a", "look", "1")],
    ["a look 1", "b find 2"],
  ],
  ["calls that count from 1", [delta(1, "a", "look", "1"), delta(2, "b", "find", "2")], ["a look 1", "b find 2"]],
  [
    "an id, a name and arguments in events of their own",
    [delta(0, "a", null), delta(0, null, "look"), delta(0, null, null, "1")],
    ["a look 1"],
  ],
  [
    "a name that is repeated with each piece",
    [delta(0, "a", "look", "1"), delta(0, "a", "look", "2"), delta(0, "", "look", "3")],
    ["a look 123"],
  ],
  [
    "an id that is made up for each piece",
    [delta(0, "a", "look", "1"), delta(0, "z", null, "2"), delta(0, "y", "", "3")],
    ["a look 123"],
  ],
  [
    "one index for all calls",
    [delta(0, "a", "look", "1"), delta(0, "b", "find", "2"), delta(0, null, null, "3")],
    ["a look 1", "b find 23"],
  ],
  [
    "whole calls without an index",
    [delta(undefined, "a", "look", "1"), delta(undefined, "b", "look", "2")],
    ["a look 1", "b look 2"],
  ],
  [
    "whole calls with neither index nor id",
    [delta(undefined, null, "look", "1"), delta(undefined, null, "look", "2")],
    ["null look 1", "null look 2"],
  ],
  [
    "pieces without an index",
    [delta(undefined, "a", "look", "1"), delta(undefined, null, null, "2"), delta(undefined, "a", "look", "3")],
    ["a look 123"],
  ],
  ["parsed arguments", [delta(0, "a", "look", { x: 1 })], ['a look {"x":1}']],
  ["no arguments at all", [delta(0, "a", "look"), { index: 0 }, { index: 0, function: null }], ["a look "]],
  ["arguments alone", [delta(0, null, null, "1")], ["null  1"]],
  ["nothing", [], []],
])("puts together %s", (_name, deltas, expected) => {
  expect(assembled(...deltas)).toEqual(expected);
});
